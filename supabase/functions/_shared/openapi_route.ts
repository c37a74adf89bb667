// Imported like this, older versions of the Supabase CLI find the file and deploy it too.
import document from "./openapi.json" with { type: "json" };

/** `GET /openapi.json` of each function: the OpenAPI document of all routes (`npm run openapi` writes it). */
export function openApi(): Promise<Response> {
  return Promise.resolve(Response.json(document));
}
