import assert from "node:assert/strict";
import { mostSimilar } from "./lookup.ts";

for (
  const [given, expected] of [
    ["Lakshore Insurance", "Lakeshore Insurance Group"],
    ["lakeshore insurance gruop", "Lakeshore Insurance Group"],
    ["amce", "acme"],
    ["acm3", "acme"],
    ["zzz", undefined],
  ] as const
) {
  Deno.test(`"${given}" ${expected ? `probably means ${expected}` : "is near no name"}`, () => {
    const names = ["Summit Life Partners", "Lakeshore Insurance Group", "acme"];
    assert.equal(mostSimilar(given, names), expected);
  });
}
