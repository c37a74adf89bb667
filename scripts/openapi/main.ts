/** `npm run openapi`: writes the OpenAPI document of both functions' routes. */
import { join } from "node:path";
import { openApiDocument } from "./document.ts";
import { operations as api } from "./api.ts";
import { operations as recruiting } from "./recruiting.ts";
import { ROOT } from "../../local/mod.ts";

/** Where the document is kept: for people, and for the functions, which are deployed without the docs. */
export const OPENAPI_FILES = ["docs/openapi.json", "supabase/functions/_shared/openapi.json"]
  .map((file) => join(ROOT, file));

/** The document as the schemas say it, as text. */
export function openApiText(): string {
  return JSON.stringify(openApiDocument([...recruiting, ...api]), null, 2) + "\n";
}

if (import.meta.main) {
  for (const file of OPENAPI_FILES) {
    Deno.writeTextFileSync(file, openApiText());
    console.log(`Wrote ${file}`);
  }
}
