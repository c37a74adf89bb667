import assert from "node:assert/strict";
import { parse } from "./fixtures/parsed.ts";
import { workable } from "./workable.ts";

Deno.test("workable: a candidate alone, and choices that are texts", () => {
  const { first_name, vendor_metadata } = parse(workable, {
    firstname: "Ann",
    answers: [{ question: { body: "Which?" }, choices: ["Life", "Health"] }],
  });
  assert.equal(first_name, "Ann");
  assert.deepEqual(vendor_metadata.answers, [{ question: "Which?", answer: ["Life", "Health"] }]);
});
