import assert from "node:assert/strict";
import { indeed } from "./indeed.ts";
import { parse, PDF } from "./fixtures/parsed.ts";
import { readSent } from "./fixtures/read.ts";

Deno.test("indeed: the questions stand in a container of either name, or in a bare array", () => {
  const list = [{ question: { id: "q", question: "Why?" }, answer: "Because." }];
  for (const container of ["screenerQuestionsAndAnswers", "questionsAndAnswers"]) {
    for (const given of [list, { url: "https://example.com", questionsAndAnswers: list }]) {
      const { vendor_metadata } = parse(indeed, { applicant: { fullName: "Ann Lee" }, [container]: given });
      assert.deepEqual(vendor_metadata.answers, [{ question: "Why?", answer: "Because." }]);
    }
  }
});

Deno.test("indeed: an empty newer container does not hide the older one", () => {
  const { vendor_metadata } = parse(indeed, {
    screenerQuestionsAndAnswers: { questionsAndAnswers: [] },
    questionsAndAnswers: { questionsAndAnswers: [{ question: "Why?", answer: "Because." }] },
  });
  assert.deepEqual(vendor_metadata.answers, [{ question: "Why?", answer: "Because." }]);
});

Deno.test("indeed: a resume that consists only of text, HTML or JSON", () => {
  for (const form of ["text", "html", "json"]) {
    const { resume, vendor_metadata } = parse(indeed, { applicant: { resume: { [form]: "Ann" } } });
    assert.equal(resume, undefined);
    assert.equal(vendor_metadata.resume_skipped, form);
    assert.deepEqual(vendor_metadata.vendor_fields, { applicant: { resume: { [form]: "Ann" } } });
  }
});

Deno.test("indeed: a resume that is the file itself", () => {
  assert.equal(parse(indeed, { applicant: { resume: PDF } }).resume?.base64, PDF);
});

Deno.test("indeed: the file of a resume with a file and a text is used", () => {
  const payload = readSent("indeed");
  (payload.applicant as { resume: Record<string, unknown> }).resume.text = "Maria";
  const { resume, vendor_metadata } = parse(indeed, payload);
  assert.equal(resume?.base64, PDF);
  assert.equal(vendor_metadata.resume_skipped, undefined);
});

Deno.test("indeed: several choices, with their labels or as codes", () => {
  const question = {
    id: "days",
    question: "Which days?",
    type: "multiselect",
    options: [{ value: "0", label: "Weekdays" }, { value: "1", label: "Sundays" }],
  };
  for (const answer of [["0", "1"], question.options, [{ value: "0" }, { value: "1" }]]) {
    const { vendor_metadata } = parse(indeed, {
      screenerQuestionsAndAnswers: { questionsAndAnswers: [{ question, answer }] },
    });
    assert.deepEqual(vendor_metadata.answers, [{ question: "Which days?", answer: ["Weekdays", "Sundays"] }]);
  }
});
