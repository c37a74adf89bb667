import assert from "node:assert/strict";
import { keepRow } from "./kept_row.ts";

for (
  const [what, rows, before, kept] of [
    ["stays below the row above it", "abd", "abcd", "abcd"],
    ["stays below the next one where that is gone too", "ade", "abcde", "acde"],
    ["stays first", "bc", "abc", "abc"],
    ["stays alone", "", "c", "c"],
    ["stays below a row that came above it", "xabd", "abcd", "xabcd"],
    ["is where the list has it", "cab", "abc", "cab"],
    ["comes to no list that it was not in", "ab", "ab", "ab"],
  ] as const
) {
  Deno.test(`the open row ${what}`, () => {
    const list = (ids: string) => [...ids].map((id) => ({ id }));
    const open = { id: what === "stays first" ? "a" : "c" };
    assert.deepEqual(keepRow(list(rows), list(before), open), list(kept));
  });
}
