import assert from "node:assert/strict";
import { readTap } from "./pgtap.ts";

Deno.test("results are counted, and what belongs to a failure is shown", () => {
  const tap = "1..3\nok 1 - one\nnot ok 2 - two\n# have: 1\n# want: 2\nok 3 - three";
  assert.deepEqual(readTap(tap), { passed: 2, failed: 1, diagnostics: ["not ok 2 - two", "# have: 1", "# want: 2"] });
});

Deno.test("a plan that does not hold is a failure", () => {
  assert.equal(readTap("1..2\nok 1").failed, 1);
  assert.equal(readTap("ok 1").failed, 1);
  assert.equal(readTap("").failed, 1);
});

Deno.test("a plan may come last, and what is still to be done may fail", () => {
  assert.deepEqual(readTap("not ok 1 - later # TODO not yet\nok 2\n1..2"), { passed: 2, failed: 0, diagnostics: [] });
});
