/** Checks that the page on connecting vendors is complete. e2e/docs/connecting.test.ts tries its settings. */
import assert from "node:assert/strict";
import { Constants } from "../../_shared/database.types.ts";
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

Deno.test("docs/connecting.md says what to do for each reason of a 401", () => {
  const [, table] = CONNECTING.split("\n## Why a request got 401\n");
  const reasons = [...table!.split("\n## ", 1)[0]!.matchAll(/^\| `(\w+)`/gm)].map(([, reason]) => reason);
  assert.deepEqual(reasons, [...Constants.public.Enums.proof_refusal]);
});

Deno.test("docs/parsers.md says how the vendor of every parser connects, and how this was confirmed", () => {
  const [, ...sections] = readPage("parsers.md").split("\n## ");
  for (const parser of PARSER_NAMES) {
    const section = sections.find((text) => text.startsWith(`${parser}\n`));
    const connects = /\b[Cc]onnects(?:\*\*)?\s+by\s/;
    assert.match(section ?? "", connects, `docs/parsers.md, "## ${parser}", does not say "Connects by …"`);
    const source = /\(https:\/\/|not\s+confirmed/;
    assert.match(section!, source, `docs/parsers.md, "## ${parser}", links no source and does not say "not confirmed"`);
  }
});
