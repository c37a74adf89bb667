import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { parse, parsed } from "./fixtures/parsed.ts";
import { jazzhr } from "./jazzhr.ts";

Deno.test("jazzhr: an exported candidate", () => {
  const { vendor_metadata, ...lead } = parsed(jazzhr, "jazzhr");
  const { vendor_fields, ...metadata } = vendor_metadata;
  assert.deepEqual({ ...lead, ...metadata }, {
    first_name: "Marta",
    vendor_lead_id: "311042",
    job_id: "5521",
    job_title: "Insurance Agent",
    job_url: "https://three-rivers.applytojob.com/apply/a1b2/Insurance-Agent",
    full_name: "Marta Nowak",
    last_name: "Nowak",
    email: "marta.nowak@example.com",
    phone: "+14125550177",
    phone_raw: "412-555-0177",
    address: "12 Ridge Avenue",
    city: "Pittsburgh",
    state: "PA",
    zip: "15212",
    submitted_at: "2026-07-29",
    resume_url: "https://documents.example.com/7001",
  });
  const { additionalPersonInformation } = vendor_fields as Record<string, Json>;
  assert.deepEqual(additionalPersonInformation, {
    "90817": { languagesSpoken: "English, Polish", license: true, wmyu: "I listen." },
  });
});

Deno.test("jazzhr: an applicant as the API gives it", () => {
  const { vendor_metadata, ...lead } = parsed(jazzhr, "jazzhr_applicant");
  const { vendor_fields: _, ...metadata } = vendor_metadata;
  assert.deepEqual({ ...lead, ...metadata }, {
    first_name: "Marta",
    vendor_lead_id: "prospect_20260729120000_ABCDEFGHIJKLMNOP",
    job_id: "job_20260701120000_QRSTUVWXYZABCDEF",
    job_title: "Insurance Agent",
    answers: [
      { question: "Do you hold a life insurance license?", answer: "Yes" },
      { question: "How many years have you been in sales?", answer: "6" },
    ],
    last_name: "Nowak",
    email: "marta.nowak@example.com",
    phone: "+14125550177",
    phone_raw: "4125550177",
    address: "12 Ridge Avenue, Pittsburgh, PA 15212",
    state: "PA",
    submitted_at: "2026-07-29",
    resume_url: "https://app.example.com/share/resume/prospect_20260729120000",
  });
});

Deno.test("jazzhr: a further application of an exported candidate is another lead, an export again is not", () => {
  const idOf = (...applications: number[]) =>
    parse(jazzhr, {
      candidate: {
        person: { id: { value: 311 }, name: { given: "Ann" } },
        profiles: applications.map((value) => ({ profileId: { value } })),
      },
    }).vendor_lead_id;
  assert.equal(idOf(311), "311");
  assert.equal(idOf(311, 352), "311,352");
  assert.equal(idOf(), "candidate-311");
});

Deno.test("jazzhr: the first e-mail address and phone number that are not empty", () => {
  const communication = {
    email: [{ address: "" }, { address: "ann@example.com" }, { address: "b@example.com" }],
    phone: [{ formattedNumber: null }, { formattedNumber: "(412) 555-0177" }],
  };
  const { vendor_metadata } = parse(jazzhr, { candidate: { person: { communication } } });
  assert.equal(vendor_metadata.email, "ann@example.com");
  assert.equal(vendor_metadata.phone, "+14125550177");
});

Deno.test("jazzhr: of several documents none is known to be the resume", () => {
  const attachments = [{ url: "https://d.example.com/1" }, { url: "https://d.example.com/2" }];
  const payload = {
    candidate: { person: { name: { given: "Ann" } }, profiles: [{ attachments }] },
  };
  const { vendor_metadata } = parse(jazzhr, payload);
  assert.equal(vendor_metadata.resume_url, undefined);
  assert.deepEqual(vendor_metadata.vendor_fields, { candidate: { profiles: [{ attachments }] } });
});

Deno.test("jazzhr: the request that checks a new webhook is no new application", () => {
  assert.equal(jazzhr({ data: "JazzHR Verify Event" }, null).error, "not a new application");
});
