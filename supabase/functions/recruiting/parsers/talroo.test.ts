import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { parse, parsed, PDF } from "./fixtures/parsed.ts";
import { talroo } from "./talroo.ts";

Deno.test("talroo: a completed application; its own id counts, not the event's", () => {
  assert.deepEqual(parsed(talroo, "talroo"), {
    first_name: "Nia",
    vendor_lead_id: "app-81d2",
    resume: { base64: PDF, type: "pdf" },
    vendor_metadata: {
      job_id: "agent-co-2",
      job_title: "Insurance Agent",
      job_company: "Front Range Agency",
      answers: [{ question: "Do you sell now?", answer: null }],
      last_name: "Brooks",
      email: "nia.brooks@example.com",
      phone: "+13035550120",
      phone_raw: "3035550120",
      city: "Denver",
      state: "CO",
      zip: "80203",
      submitted_at: "2026-07-29T08:00:00.000Z",
      vendor_fields: {
        id: "evt-5f0c3b2a",
        type: "platform:JobApplication:completed:v2",
        data: {
          tlrSid: "k3k3k3",
          job: {
            jobId: "t-100",
            jobReference: "agent-co-2_exp1",
            zipcode: "80202",
            city: "Denver",
            state: "CO",
            sourceId: "55",
          },
          applicant: { resume: { fileName: "nia.pdf" } },
          questions: [{ id: "currently_work_here" }],
        },
      },
    },
  });
});

Deno.test("talroo: an event without an application id has no vendor_lead_id", () => {
  const { vendor_lead_id } = parse(talroo, {
    id: "evt-1",
    data: { applicant: { firstName: "Nia" } },
  });
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
  const byQuestion = Object.fromEntries(
    questions.map(({ question, answer }) => [question, answer]),
  );
  assert.deepEqual(parse(talroo, { data: { questions } }).vendor_metadata.answers, answers);
  const { vendor_metadata } = parse(talroo, { data: { questions: [], answers: byQuestion } });
  assert.deepEqual(vendor_metadata.answers, answers);
});
