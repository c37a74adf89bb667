import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { parse } from "./fixtures/parsed.ts";
import { talroo } from "./talroo.ts";

Deno.test("talroo: an event without an application id has no vendor_lead_id", () => {
  const { vendor_lead_id } = parse(talroo, { id: "evt-1", data: { applicant: { firstName: "Nia" } } });
  assert.equal(vendor_lead_id, undefined);
});

Deno.test("talroo: answers of every kind of question, as a list or by question", () => {
  const questions: { id: string; question: string; answer: Json }[] = [
    { id: "a", question: "Which states?", answer: ["TX", "OK"] },
    { id: "b", question: "Licensed?", answer: { value: "1", label: "Yes" } },
    { id: "c", question: "Your licence", answer: { fileName: "licence.pdf", data: "JVBERi0=" } },
  ];
  const answers = [
    { question: "Which states?", answer: ["TX", "OK"] },
    { question: "Licensed?", answer: "Yes" },
    { question: "Your licence", answer: "licence.pdf" },
  ];
  const byQuestion = Object.fromEntries(questions.map(({ question, answer }) => [question, answer]));
  assert.deepEqual(parse(talroo, { data: { questions } }).vendor_metadata.answers, answers);
  const { vendor_metadata } = parse(talroo, { data: { questions: [], answers: byQuestion } });
  assert.deepEqual(vendor_metadata.answers, answers);
});
