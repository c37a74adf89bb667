/** `npm run openapi`: writes the OpenAPI document of all routes. */
import { join } from "node:path";
import { ROOT } from "../../local/mod.ts";
import { openApiDocument } from "./document.ts";

/** Where the document is kept. The functions are deployed with it and serve it. */
export const OPENAPI_FILE = join(ROOT, "supabase/functions/_shared/openapi.json");

/** The document as text. */
export function openApiText(): string {
  return JSON.stringify(openApiDocument(), null, 2) + "\n";
}

if (import.meta.main) {
  Deno.writeTextFileSync(OPENAPI_FILE, openApiText());
  console.log(`Wrote ${OPENAPI_FILE}`);
}
