import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { Fields } from "./fields.ts";
import { type FormKeys, readLeadForm } from "./form.ts";

const KEYS: FormKeys = { name: "id", label: "shown", answer: "values" };

/** Returns the answers that are read from a form's questions, and the rest of them. */
function read(questions: Json) {
  const fields = new Fields({ questions });
  const { more, ...contact } = readLeadForm(fields.items("questions"), KEYS);
  const found = Object.values(contact).filter((text) => text !== undefined);
  const rest = fields.rest([found as Json[], more?.answers ?? null]);
  return { contact: found, answers: more?.answers, rest };
}

Deno.test("form: a question with a usual name is a contact field, and its name remains", () => {
  assert.deepEqual(
    read([{ id: "FULL_NAME", values: ["Ann Lee"] }, { id: "City", values: "Rome" }]),
    { contact: ["Ann Lee", "Rome"], answers: undefined, rest: { questions: [{ id: "FULL_NAME" }, { id: "City" }] } },
  );
});

Deno.test("form: any other question becomes an answer, with the wording that was shown", () => {
  assert.deepEqual(
    read([
      { id: "licensed", shown: "Licensed?", values: ["yes"] },
      { id: "days", values: ["Mon", "Tue"], extra: 1 },
      { shown: "Why?", values: [] },
    ]),
    {
      contact: [],
      answers: [
        { question: "Licensed?", answer: "yes" },
        { question: "days", answer: ["Mon", "Tue"] },
        { question: "Why?", answer: null },
      ],
      rest: { questions: [{ id: "licensed" }, { extra: 1 }, null] },
    },
  );
});

Deno.test("form: of two questions with the same name, the first is the contact field", () => {
  const { contact, answers } = read([
    { id: "email", values: ["a@example.com"] },
    { id: "email", values: ["b@example.com"] },
  ]);
  assert.deepEqual(contact, ["a@example.com"]);
  assert.deepEqual(answers, [{ question: "email", answer: "b@example.com" }]);
});

Deno.test("form: a question without a name, or with an answer of an unknown shape, is left unchanged", () => {
  const questions: Json = [{ values: ["x"] }, { id: "email", values: { a: 1 } }, { id: " ", values: ["y"] }, 7];
  assert.deepEqual(read(questions), { contact: [], answers: undefined, rest: { questions } });
});
