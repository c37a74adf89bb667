import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { parse } from "./fixtures/parsed.ts";
import { linkedin } from "./linkedin.ts";
import { LEAD_NOTICE } from "./linkedin_lead_sync.ts";

const answer = (questionId: number, text: string, name?: string) => ({
  questionId,
  ...(name && { name }),
  answerDetails: { textQuestionAnswer: { answer: text } },
});
const read = (answers: Json[], others = {}) =>
  JSON.parse(JSON.stringify(parse(linkedin, { formResponse: { answers }, ...others })));

Deno.test("linkedin: without the form's questions, an answer's name identifies its field", () => {
  const { first_name, vendor_metadata } = read([
    answer(1, "Ada", "firstName"),
    answer(2, "ada@example.com", "email"),
    answer(3, "7 years", "Custom Question 1"),
  ]);
  assert.equal(first_name, "Ada");
  assert.equal(vendor_metadata.email, "ada@example.com");
  assert.deepEqual(vendor_metadata.answers, [{ question: "Custom Question 1", answer: "7 years" }]);
});

Deno.test("linkedin: without questions and names, the answers are kept by their ids", () => {
  const choice = { questionId: 2, answerDetails: { multipleChoiceAnswer: { options: [0] } } };
  const { first_name, vendor_metadata } = read([answer(1, "Ada"), choice]);
  assert.equal(first_name, undefined);
  assert.deepEqual(vendor_metadata.answers, [{ question: "1", answer: "Ada" }, { question: "2", answer: ["0"] }]);
});

Deno.test("linkedin: the first of two addresses is the contact's, the other is an answer", () => {
  const questions = [
    { questionId: 1, predefinedField: "EMAIL" },
    { questionId: 2, predefinedField: "WORK_EMAIL", question: "Work email" },
  ];
  const answers = [answer(1, "ada@home.example"), answer(2, "ada@work.example")];
  const { vendor_metadata } = read(answers, { questions });
  assert.equal(vendor_metadata.email, "ada@home.example");
  assert.deepEqual(vendor_metadata.answers, [{ question: "Work email", answer: "ada@work.example" }]);
});

Deno.test("linkedin: consent is given if each box is checked, and unknown if only some are", () => {
  for (
    const [accepted, given] of [
      [[], undefined],
      [[true, true], true],
      [[false], false],
      [[true, false], undefined],
    ] as [boolean[], boolean | undefined][]
  ) {
    const consentResponses = accepted.map((accepted, consentId) => ({ consentId, accepted }));
    const { vendor_metadata } = parse(linkedin, { formResponse: { consentResponses } });
    assert.deepEqual(vendor_metadata.consent, given === undefined ? undefined : { given });
  }
});

Deno.test("linkedin: the error for a notice of a lead says what to send instead", () => {
  const { error } = linkedin({
    type: "LEAD_ACTION",
    leadAction: "CREATED",
    leadGenFormResponse: "urn:li:leadGenFormResponse:1-4",
    leadGenForm: "urn:li:versionedLeadGenForm:(urn:li:leadGenForm:3213,1)",
  }, {});
  assert.equal(error, LEAD_NOTICE);
});
