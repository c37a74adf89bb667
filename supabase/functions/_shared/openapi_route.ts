import type { AppContext } from "./app.ts";

/**
 * GET /recruiting/openapi.json and /api/openapi.json: the OpenAPI document of all routes (`npm run openapi` writes it).
 */
export async function openApi(c: AppContext): Promise<Response> {
  const { default: document } = await import("./openapi.json", { with: { type: "json" } });
  return c.json(document);
}
