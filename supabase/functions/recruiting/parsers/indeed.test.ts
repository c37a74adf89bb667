import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { indeed } from "./indeed.ts";
import { parse, parsed, PDF } from "./fixtures/parsed.ts";
import { readFixture } from "./fixtures/read.ts";

Deno.test("indeed: an application with a resume, questions and an e-mail alias", () => {
  assert.deepEqual(parsed(indeed, "indeed"), {
    first_name: "Maria",
    vendor_lead_id: "5156eb63c9a0a8ac9358c3a444a2818c8a5ffdbcba5960ec0cace3277f6b99df",
    resume: { base64: PDF, type: "pdf" },
    vendor_metadata: {
      email_is_alias: true,
      job_id: "agent-tx-014",
      job_title: "Life Insurance Agent",
      job_company: "Bluebonnet Agency",
      job_location: "Austin, TX 78701",
      job_url: "https://jobs.example.com/agent-tx-014",
      answers: [
        { question: "Are you licensed?", answer: "Yes" },
        { question: "Why insurance?", answer: "I like people." },
        { question: "Attach your licence.", answer: "licence.png" },
      ],
      full_name: "Maria de la Cruz",
      last_name: "de la Cruz",
      email: "mariadelacruz7_x2p@indeedemail.com",
      phone: "+15125550142",
      phone_raw: "+1 512 555 0142",
      submitted_at: "2026-07-29T08:00:00.000Z",
      vendor_fields: {
        schemaVersion: "1.0",
        appliedOnMillis: 1785312000000,
        locale: "en_US",
        job: { jobKey: "ef6a185864da5b5d" },
        applicant: {
          coverletter: "I would like to talk.",
          verified: true,
          resume: { file: { contentType: "application/pdf", fileName: "maria.pdf" } },
        },
        analytics: { ip: "203.0.113.7", sponsored: false },
        screenerQuestionsAndAnswers: {
          url: "https://jobs.example.com/questions.json",
          retrievedOnMillis: 1785311000000,
          schemaVersion: "1.3",
          questionsAndAnswers: [
            {
              question: {
                id: "licensed",
                type: "select",
                options: [{ label: "Yes", value: "1" }, { label: "No", value: "0" }],
              },
              answer: { value: "1" },
            },
            { question: { id: "why", type: "textarea" } },
            { question: { id: "licence", type: "file" }, answer: { contentType: "image/png" } },
          ],
        },
      },
    },
  });
});

Deno.test("indeed: the older questions, a full name alone, and a resume without a file", () => {
  const { first_name, resume, vendor_metadata } = parsed(indeed, "indeed_older");
  assert.equal(first_name, "Jordan");
  assert.equal(resume, undefined);
  assert.deepEqual(vendor_metadata, {
    job_id: "agent-tx-014",
    answers: [{ question: "Which shift?", answer: ["Day", "Night"] }],
    resume_skipped: "text",
    full_name: "Smith, Jordan",
    last_name: "Smith",
    email: "jordan.smith@example.com",
    phone: "+15125550143",
    phone_raw: "(512) 555-0143",
    vendor_fields: {
      applicant: {
        resume: { text: "Jordan Smith\nSales associate", html: "<p>Jordan Smith</p>" },
      },
      questionsAndAnswers: [{ question: { id: "shift" } }],
    },
  });
});

for (
  const container of [
    "screenerQuestionsAndAnswers",
    "questionsAndAnswers",
  ]
) {
  for (const isBare of [true, false]) {
    Deno.test(`indeed: ${container} as ${isBare ? "a bare array" : "a container"}`, () => {
      const list = [{ question: { id: "q", question: "Why?" }, answer: "Because." }];
      const { vendor_metadata } = parse(indeed, {
        applicant: { fullName: "Ann Lee" },
        [container]: isBare ? list : { url: "https://example.com", questionsAndAnswers: list },
      });
      assert.deepEqual(vendor_metadata.answers, [{ question: "Why?", answer: "Because." }]);
    });
  }
}

Deno.test("indeed: an empty newer container does not hide the older one", () => {
  const { vendor_metadata } = parse(indeed, {
    screenerQuestionsAndAnswers: { questionsAndAnswers: [] },
    questionsAndAnswers: { questionsAndAnswers: [{ question: "Why?", answer: "Because." }] },
  });
  assert.deepEqual(vendor_metadata.answers, [{ question: "Why?", answer: "Because." }]);
});

for (const form of ["text", "html", "json"]) {
  Deno.test(`indeed: a resume that is only ${form}`, () => {
    const { resume, vendor_metadata } = parse(indeed, { applicant: { resume: { [form]: "Ann" } } });
    assert.equal(resume, undefined);
    assert.equal(vendor_metadata.resume_skipped, form);
    assert.deepEqual(vendor_metadata.vendor_fields, { applicant: { resume: { [form]: "Ann" } } });
  });
}

Deno.test("indeed: a resume that is the file itself", () => {
  assert.equal(parse(indeed, { applicant: { resume: PDF } }).resume?.base64, PDF);
});

Deno.test("indeed: a resume with a file and a text gives the file", () => {
  const payload = readFixture("indeed");
  (payload.applicant as { resume: Record<string, unknown> }).resume.text = "Maria";
  const { resume, vendor_metadata } = parse(indeed, payload);
  assert.equal(resume?.base64, PDF);
  assert.equal(vendor_metadata.resume_skipped, undefined);
});

Deno.test("indeed: in the oldest form, answers get their questions by id and the labels of their codes", () => {
  const { first_name, vendor_metadata } = parsed(indeed, "indeed_legacy");
  assert.equal(first_name, "Imani");
  assert.deepEqual(vendor_metadata.answers, [
    { question: "Do you have a clean driving record?", answer: "Yes" },
    { question: "Which days can you work?", answer: ["Weekdays", "Sundays"] },
    { question: "Why us?", answer: "I know the town." },
    { question: "Which licence?", answer: null },
  ]);
  assert.equal(vendor_metadata.submitted_at, "2026-07-29T08:00:00.123Z");
  const { questions } = vendor_metadata.vendor_fields as JsonObject;
  assert.deepEqual((questions as JsonObject).answers, [
    { id: "driving", value: "0" },
    { id: "days", values: ["0", "2"] },
    { id: "why" },
    { id: "licence" },
  ]);
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
    assert.deepEqual(vendor_metadata.answers, [
      { question: "Which days?", answer: ["Weekdays", "Sundays"] },
    ]);
  }
});

Deno.test("indeed: answers of a shape that is not known are kept whole", () => {
  const payload = {
    questionsAndAnswers: { questionsAndAnswers: { q1: ["Yes"] } },
    questions: { answers: [{ id: "q", hierarchy: { state: "TX", city: "Austin" } }] },
  };
  assert.deepEqual(parse(indeed, payload).vendor_metadata, { vendor_fields: payload });
});
