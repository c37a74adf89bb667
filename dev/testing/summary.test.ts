import assert from "node:assert/strict";
import { summaryOf } from "./summary.ts";

Deno.test("what failed is printed last, after the lines of all steps", () => {
  const failures = [{ text: "a.test.ts: adds\n    1 !== 2" }, { text: "b.test.sql\n    not ok 3 - counts" }];
  const text = summaryOf([
    { step: { name: "e2e", remedy: "Run it." }, counts: { passed: 10, failed: 2, failures }, seconds: 90.04 },
    { step: { name: "local", remedy: "Nothing." }, counts: { passed: 1, failed: 0, skipped: 3 }, seconds: 1 },
  ]);
  assert.equal(
    text,
    `e2e           10 passed   2 failed                90.0 s   Run it.
local          1 passed   0 failed   3 skipped     1.0 s

11 passed, 2 failed, 3 skipped

What failed:

${failures.map(({ text }) => text).join("\n\n")}`,
  );
});

Deno.test("where nothing failed the sum is last", () => {
  const text = summaryOf([{ step: { name: "lint", remedy: "" }, counts: { passed: 1, failed: 0 }, seconds: 1 }]);
  assert(text.endsWith("\n\n1 passed, 0 failed"));
});

Deno.test("a flaky test is named, although nothing failed", () => {
  const flaky = [{ text: "a.test.ts: adds\n    1 !== 2" }];
  const text = summaryOf([{ step: { name: "desk", remedy: "" }, counts: { passed: 2, failed: 0, flaky }, seconds: 1 }]);
  assert(text.endsWith(
    "\n\n2 passed, 0 failed, 1 flaky\n\nFlaky: failed at first, and passed when run once more:\n\n" + flaky[0]!.text,
  ));
});
