import { join } from "node:path";
import { operations as api } from "../supabase/functions/api/openapi.ts";
import { operations as recruiting } from "../supabase/functions/recruiting/openapi.ts";
import { openApiDocument } from "../supabase/functions/_shared/openapi.ts";
import { ROOT } from "./paths.ts";

/** Where the document of all routes is kept. */
export const OPENAPI_FILE = join(ROOT, "docs", "openapi.json");

/** The text of docs/openapi.json: both functions' routes in one document. */
export function openApiText(): string {
  return JSON.stringify(openApiDocument([...recruiting, ...api]), null, 2) + "\n";
}

if (import.meta.main) {
  Deno.writeTextFileSync(OPENAPI_FILE, openApiText());
  console.log(`Wrote ${OPENAPI_FILE}`);
}
