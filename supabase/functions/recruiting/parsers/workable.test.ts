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

Deno.test("workable: a question and an answer that are texts", () => {
  const answers = [{ question: "Which?", answer: "Life" }];
  assert.deepEqual(parse(workable, { firstname: "Ann", answers }).vendor_metadata, { answers });
});

Deno.test("workable: an answer of an unknown shape stays as sent", () => {
  const item = { question: { body: "Your license?" }, answer: { file: { size: 3 } } };
  const { vendor_metadata } = parse(workable, { firstname: "Ann", answers: [item] });
  assert.equal(vendor_metadata.answers, undefined);
  assert.deepEqual(vendor_metadata.vendor_fields, { answers: [item] });
});
