/** The pages on connecting vendors are complete. e2e/connecting_docs.test.ts tries their settings. */
import assert from "node:assert/strict";
import { PARSER_NAMES } from "../parsers/index.ts";
import { SCHEMES } from "./proof.ts";

function readPage(name: string): string {
  return Deno.readTextFileSync(new URL(`../../../../docs/${name}`, import.meta.url));
}

const CONNECTING = readPage("connecting.md");
const VENDORS = readPage("vendors.md");

Deno.test("docs/connecting.md describes every scheme", () => {
  const [, table] = CONNECTING.split("\n## Schemes\n");
  for (const scheme of SCHEMES.keys()) {
    const hasRow = new RegExp(`^\\|[^|]*\`${scheme}\`[^|]*\\|`, "m").test(table!);
    assert(hasRow, `the table "Schemes" of docs/connecting.md has no row of ${scheme}`);
  }
});

Deno.test("docs/vendors.md says of every parser how its vendor connects, and by what that is confirmed", () => {
  const [, section] = VENDORS.split("\n## How each vendor connects\n");
  const rows = section!.split("\n## ")[0]!.split("\n").filter((line) => line.startsWith("| "));
  const confirmations = rows.slice(2).map((row) => row.split("|").at(-2)!);
  for (const parser of PARSER_NAMES) {
    const isListed = rows.some((row) => row.includes(`\`${parser}\``));
    assert(isListed, `"How each vendor connects" in docs/vendors.md has no row of ${parser}`);
  }
  for (const confirmed of confirmations) assert.match(confirmed, /https:\/\/|not confirmed/);
});
