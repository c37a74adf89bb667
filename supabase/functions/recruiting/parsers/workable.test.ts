import assert from "node:assert/strict";
import { parse, parsed } from "./fixtures/parsed.ts";
import { readFixture } from "./fixtures/read.ts";
import { workable } from "./workable.ts";

Deno.test("workable: a new candidate of the webhook", () => {
  const { vendor_metadata, ...lead } = parsed(workable, "workable");
  const { vendor_fields, ...metadata } = vendor_metadata;
  assert.deepEqual({ ...lead, ...metadata }, {
    first_name: "Cindy",
    vendor_lead_id: "108d1748",
    job_id: "FRONT005",
    job_title: "Insurance Agent",
    answers: [
      { question: "What do you sell now?", answer: "Final expense" },
      { question: "Which licenses do you hold?", answer: ["Life", "Health"] },
      { question: "Do you have a car?", answer: "true" },
    ],
    full_name: "Cindy Okafor",
    last_name: "Okafor",
    email: "cindy.okafor@example.com",
    phone: "+13035550156",
    phone_raw: "(303) 555-0156",
    address: "332 Larkspur Road, Denver, Colorado, United States",
    city: "Denver",
    state: "CO",
    zip: "80203",
    country: "US",
    submitted_at: "2026-07-29T08:00:00.000Z",
    resume_url: "https://workable-application-form.example.com/resumes/108d1748.pdf?sig=x",
  });
  const { data } = vendor_fields as { data: Record<string, unknown> };
  assert.equal(data.cover_letter, "I would like to join your agency.");
  assert.equal("answers" in data, false);
});

Deno.test("workable: a candidate as the API gives it, with the answers by the questions' keys", () => {
  const { vendor_lead_id, vendor_metadata } = parse(workable, readFixture("workable_retrieved"));
  assert.equal(vendor_lead_id, "3fd41a92");
  assert.deepEqual(vendor_metadata.answers, [
    { question: "6f1d", answer: "Two weeks" },
    { question: "willing_to_relocate", answer: ["No"] },
    { question: "a77c", answer: "false" },
    { question: "b88d", answer: "2026-09-01" },
    { question: "c99e", answer: "12" },
    {
      question: "d00f",
      answer: "https://workable-application-form.example.com/answers/license.pdf",
    },
  ]);
});

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

Deno.test("workable: an answer that is not understood stays as sent", () => {
  const item = { question: { body: "Your license?" }, answer: { file: { size: 3 } } };
  const { vendor_metadata } = parse(workable, { firstname: "Ann", answers: [item] });
  assert.equal(vendor_metadata.answers, undefined);
  assert.deepEqual(vendor_metadata.vendor_fields, { answers: [item] });
});

Deno.test("workable: a candidate who was moved or deleted, and an employee, are no new application", () => {
  const event = readFixture("workable");
  for (const event_type of ["candidate_moved", "candidate_deleted", "employee_created"]) {
    assert.equal(workable({ ...event, event_type }, null).error, "not a new application");
  }
});
