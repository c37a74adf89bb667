import type { AppContext } from "./app.ts";

/** GET /recruiting/openapi.json and /api/openapi.json: the document of all routes, as it was generated. */
export async function openApi(c: AppContext): Promise<Response> {
  const { default: document } = await import("./openapi.json", { with: { type: "json" } });
  return c.json(document);
}
