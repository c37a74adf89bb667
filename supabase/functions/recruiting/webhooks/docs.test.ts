/** The page on connecting vendors is complete. e2e/connecting_docs.test.ts tries their settings. */
import assert from "node:assert/strict";
import { PARSER_NAMES } from "../parsers/index.ts";
import { SCHEMES } from "./proof.ts";

function readPage(name: string): string {
  return Deno.readTextFileSync(new URL(`../../../../docs/${name}`, import.meta.url));
}

const CONNECTING = readPage("connecting.md");

Deno.test("docs/connecting.md describes every scheme", () => {
  const [, table] = CONNECTING.split("\n## Schemes\n");
  for (const scheme of Object.keys(SCHEMES)) {
    const hasRow = new RegExp(`^\\|[^|]*\`${scheme}\`[^|]*\\|`, "m").test(table!);
    assert(hasRow, `the table "Schemes" of docs/connecting.md has no row of ${scheme}`);
  }
});

Deno.test("docs/connecting.md says of every parser how its vendor connects, and by what that is confirmed", () => {
  const [, section] = CONNECTING.split("\n## Vendor by vendor\n");
  const [, ...vendors] = section!.split("\n## ")[0]!.split("\n### ");
  for (const parser of PARSER_NAMES) {
    const isListed = vendors.some((vendor) => vendor.includes(`Parser \`${parser}\``));
    assert(isListed, `"Vendor by vendor" in docs/connecting.md has no parser ${parser}`);
  }
  for (const vendor of vendors.filter((vendor) => vendor.includes("Parser `"))) {
    assert.match(vendor, /\(https:\/\/|[Nn]ot\s+confirmed/);
  }
});
