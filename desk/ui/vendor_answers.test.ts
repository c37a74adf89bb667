import assert from "node:assert/strict";
import { answersOf } from "./vendor_answers.ts";

Deno.test("answers are found where a parser keeps them, and among the fields that it left", () => {
  const { answers, fields } = answersOf([{ answer: ["TX"], question: "Where?" }, { question: "Why?" }], {
    screening: [{ answer: "Yes", question: "Are you licensed?", id: 7 }, null, { label: "Years", value: 3 }],
    "Do you drive? ": "No",
    more: { "Nights?": true, "Weekends?": null },
    job: { question: "no list" },
    tags: [{ title: "only a title" }],
    pages: [{ question: "Where?", answer: "Here", page: 3 }],
    answers: [{ id: "licensed" }],
    questions: [7],
    nothing: null,
    campaign: "spring",
    list: [],
  });
  assert.deepEqual(answers, [
    { question: "Where?", answer: ["TX"] },
    { question: "Why?", answer: null },
    { question: "Are you licensed?", answer: "Yes" },
    { question: "Years", answer: 3 },
    { question: "Do you drive? ", answer: "No" },
    { question: "Nights?", answer: true },
    { question: "Weekends?", answer: null },
  ]);
  assert.deepEqual(Object.keys(fields), ["job", "tags", "pages", "questions", "nothing", "campaign", "list"]);
});

Deno.test("what is no object has no answers", () => {
  for (const value of [undefined, null, "words", 7, [], [1], ["question"]]) {
    assert.deepEqual(answersOf(value, null).answers, []);
  }
});
