/** Each route of the functions stands in a page of the docs. */
import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);
const OPENAPI = JSON.parse(Deno.readTextFileSync(new URL("supabase/functions/_shared/openapi.json", ROOT)));
const PAGES = Array.from(Deno.readDirSync(new URL("docs", ROOT)), ({ name }) => name)
  .filter((name) => name.endsWith(".md"))
  .map((name) => Deno.readTextFileSync(new URL(`docs/${name}`, ROOT))).join("\n");

Deno.test("each route stands in a page of the docs", () => {
  const missing = Object.keys(OPENAPI.paths)
    .filter((path) => !/\/(?:health|openapi\.json)$/.test(path))
    .filter((path) => !new RegExp(path.replace(/\{\w+\}/g, "[<{:]?[\\w ]+[>}]?").replaceAll(".", "\\.")).test(PAGES));
  assert.deepEqual(missing, [], "docs/interface.md says what a caller must know of each route");
});
