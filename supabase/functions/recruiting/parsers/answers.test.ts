import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { readAnswers, readAnswersOfAnyShape, type ScreeningAnswer } from "./answers.ts";
import { Fields } from "./fields.ts";

/** Returns the answers that are read from a list, and the rest of it. */
function read(
  answers: Json,
  readThem: (fields: Fields, path: string) => ScreeningAnswer[] | undefined = readAnswers,
) {
  const fields = new Fields({ answers });
  const found = readThem(fields, "answers");
  return { answers: found, rest: fields.rest({ found: found ?? null }) };
}

Deno.test("an answer is read in each of the usual shapes", () => {
  for (
    const [item, question, answer, rest] of [
      [{ question: "Why?", answer: " Because. " }, "Why?", "Because.", undefined],
      [{ question: "Why?", answer: "x", comment: "c" }, "Why?", "x", { comment: "c" }],
      [{ questionText: "Years?", answer: 4 }, "Years?", "4", undefined],
      [{ label: "Licensed?", value: true }, "Licensed?", "true", undefined],
      [{ question: "Which?", answer: ["a", " ", "b"] }, "Which?", ["a", "b"], undefined],
      [{ id: "q1", values: ["a"] }, "q1", ["a"], undefined],
      [{ id: 5, choice: "b" }, "5", "b", undefined],
      [{ id: "q1", text: "Because." }, "q1", "Because.", undefined],
      [{ text: "Why?", answer: "Because." }, "Why?", "Because.", undefined],
      [{ question: "Why?", answer: null }, "Why?", null, undefined],
      [{ question: "Why?", answer: "" }, "Why?", null, undefined],
      [{ question: "Why?", answer: null, values: ["a"] }, "Why?", ["a"], { answer: null }],
      [{ answer: "Yes" }, null, "Yes", undefined],
      [{ question: "Which?", answer: { value: "1", label: "One" } }, "Which?", "One", { answer: { value: "1" } }],
      [{ question: "Which?", answer: [{ text: "A" }, { choice: "B" }] }, "Which?", ["A", "B"], undefined],
      [{ question: "Which?", answer: { values: ["A", "B"] } }, "Which?", ["A", "B"], undefined],
      [
        { question: "Which?", answer: "2", options: [{ value: "2", label: "Two" }] },
        "Which?",
        "Two",
        { answer: "2", options: [{ value: "2", label: "Two" }] },
      ],
      [
        { question: { id: "q", question: "Which?", options: [{ id: 2, text: "Two" }] }, answer: [{ id: 2 }] },
        "Which?",
        ["Two"],
        { question: { id: "q", options: [{ id: 2, text: "Two" }] }, answer: [{ id: 2 }] },
      ],
      [{ question: { id: "q" }, answer: "x" }, "q", "x", undefined],
      [{ question: "Send it.", answer: { fileName: "a.txt", data: "aGk=" } }, "Send it.", "a.txt", undefined],
      [{ question: "Which?", answer: ["a", { b: 1 }] }, "Which?", ["a"], { answer: [null, { b: 1 }] }],
    ] as [Json, string | null, Json, Json | undefined][]
  ) {
    assert.deepEqual(read([item]), {
      answers: [{ question, answer }],
      rest: rest === undefined ? undefined : { answers: [rest] },
    });
  }
});

Deno.test("answers of an unknown shape are left unchanged", () => {
  for (
    const answers of [
      "free text",
      7,
      ["Yes", "No"],
      [{ question: "Why?", answer: { unknown: { a: 1 } } }],
      [{ question: "Why?", reason: "Because." }],
      [{ a: 1 }, [2], "x"],
      [{ id: "resume", value: "JVBERi0xLjQKJSVFT0YK" }],
      [{ question: "Why?" }],
      { "Why?": "Because." },
    ] as Json[]
  ) {
    assert.deepEqual(read(answers), { answers: undefined, rest: { answers } });
  }
});

Deno.test("answers of an unknown shape keep their places among the others", () => {
  const unknown = { question: "Why?", answer: { unknown: 1 } };
  assert.deepEqual(read([{ question: "A?", answer: "a" }, unknown, "x"]), {
    answers: [{ question: "A?", answer: "a" }],
    rest: { answers: [null, unknown, "x"] },
  });
});

Deno.test("a single answer need not be in a list", () => {
  assert.deepEqual(read({ question: "Why?", answer: "Because." }), {
    answers: [{ question: "Why?", answer: "Because." }],
    rest: undefined,
  });
});

Deno.test("the first list with answers is read", () => {
  const fields = new Fields({ a: [], b: { c: [{ question: "A?", answer: "a" }] }, d: [{ answer: "d" }] });
  assert.deepEqual(readAnswers(fields, ["a", "b.c", "d"]), [{ question: "A?", answer: "a" }]);
});

Deno.test("answers by id get their questions, and the labels of their options", () => {
  const fields = new Fields({
    questions: [
      { id: "q1", question: "Licensed?", options: [{ value: "0", label: "Yes" }, { value: "1", label: "No" }] },
      { id: 2, text: "Why?", type: "text" },
    ],
    answers: [{ id: "q1", value: "1" }, { id: "2", value: "Because." }, { id: "3", values: ["a"] }],
  });
  const answers = readAnswers(fields, "answers", fields.items("questions"));
  assert.deepEqual(answers, [
    { question: "Licensed?", answer: "No" },
    { question: "Why?", answer: "Because." },
    { question: "3", answer: ["a"] },
  ]);
});

Deno.test("answers by question, or by id with the question beside the answer", () => {
  assert.deepEqual(
    read({
      "Licensed? 1. Yes": "Yes",
      q1: { question: "Why?", answer: "Because.", at: 5 },
      q2: { label: "Two", value: "2" },
      q3: { answer: ["a"] },
      q4: null,
      q5: { unknown: 1 },
      __proto__x: "x",
    }, readAnswersOfAnyShape),
    {
      answers: [
        { question: "Licensed? 1. Yes", answer: "Yes" },
        { question: "Why?", answer: "Because." },
        { question: "q2", answer: "Two" },
        { question: "q3", answer: ["a"] },
        { question: "q4", answer: null },
        { question: "__proto__x", answer: "x" },
      ],
      rest: { answers: { q1: { at: 5 }, q2: { value: "2" }, q5: { unknown: 1 } } },
    },
  );
  assert.deepEqual(
    read({ list: [{ questionText: "Why?", answers: ["x"] }, 5], page: 1 }, readAnswersOfAnyShape),
    {
      answers: [{ question: "Why?", answer: ["x"] }, { question: "page", answer: "1" }],
      rest: { answers: { list: [null, 5] } },
    },
  );
  const others: Json[] = [null, "text", [], [1], {}, { question: "Why?", answer: { a: 1 } }];
  for (const other of others) assert.equal(read(other, readAnswersOfAnyShape).answers, undefined);
});

Deno.test("answers whose text has another name, or that stand by a key", () => {
  for (
    const answers of [
      [{ questionText: "Licensed?", answerText: "Yes" }],
      [{ questionText: "Licensed?", answer: { answerText: "Yes" } }],
      [{ key: "Licensed?", value: "Yes" }],
    ]
  ) {
    const found = { answers: [{ question: "Licensed?", answer: "Yes" }], rest: undefined };
    assert.deepEqual(read(answers, readAnswersOfAnyShape), found);
  }
});

Deno.test("tens of thousands of answers to a question with as many options are read in linear time", () => {
  const many = Array.from({ length: 30_000 }, (_, i) => String(i));
  const fields = new Fields({
    questions: [{ id: "q", options: many.map((value) => ({ value, label: `Option ${value}` })) }],
    answers: many.map((value) => ({ id: "q", value })),
  });
  const started = performance.now();
  assert.equal(readAnswers(fields, "answers", fields.items("questions"))?.length, many.length);
  fields.rest({});
  // A quadratic step over the options would take minutes.
  assert.ok(performance.now() - started < 5_000);
});
