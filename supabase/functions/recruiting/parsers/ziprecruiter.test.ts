import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { parse, parsed, PDF } from "./fixtures/parsed.ts";
import { ziprecruiter } from "./ziprecruiter.ts";

Deno.test("ziprecruiter: an application with all fields", () => {
  assert.deepEqual(parsed(ziprecruiter, "ziprecruiter"), {
    first_name: "Devon",
    vendor_lead_id: "9f2c11b7",
    resume: { base64: PDF },
    vendor_metadata: {
      job_id: "agent-ga-7",
      answers: [{ question: "Are you licensed?", answer: "yes" }],
      full_name: "Devon Okafor",
      last_name: "Okafor",
      email: "devon.okafor@example.com",
      phone: "+15555551234",
      phone_raw: "+1 5555551234",
      city: "Atlanta",
      state: "GA",
      zip: "30303",
      vendor_fields: {
        attributes: { tracking_code: "zr-77" },
        answers: [{ id: "licensed" }],
        profile: {
          mobile: "404-555-0111",
          state: "Georgia",
          objective: "A job with people.",
          job_records: [{ title: "Cashier", company: "Peach Mart" }],
        },
      },
    },
  });
});

Deno.test("ziprecruiter: without a phone, the profile's mobile number is the phone", () => {
  const { vendor_metadata } = parse(ziprecruiter, { profile: { mobile: "404-555-0111" } });
  assert.equal(vendor_metadata.phone, "+14045550111");
});

Deno.test("ziprecruiter: a full name alone is split", () => {
  const { first_name, vendor_metadata } = parse(ziprecruiter, { name: "Devon Okafor" });
  assert.equal(first_name, "Devon");
  assert.equal(vendor_metadata.last_name, "Okafor");
});

Deno.test("ziprecruiter: answers by the ids of the partner's questions; a file as an answer is left out", () => {
  const { resume, vendor_metadata } = parsed(ziprecruiter, "ziprecruiter_ids");
  assert.equal(resume?.base64.replaceAll("\n", ""), PDF);
  assert.deepEqual(vendor_metadata.answers, [
    { question: "0666dc7e", answer: "Two years" },
    { question: "784a30b5", answer: ["3", "4"] },
  ]);
  assert.deepEqual(vendor_metadata.vendor_fields, {
    phone: "",
    answers: [null, null, { id: "5567fa3f" }],
  });
});

for (
  const answers of [
    { "Are you licensed?": "yes", "Which states?": ["TX", "OK"] },
    {
      q1: { question: "Are you licensed?", answer: "yes" },
      q2: { question: "Which states?", answer: ["TX", "OK"] },
    },
  ] as JsonObject[]
) {
  Deno.test(`ziprecruiter: answers as the object ${JSON.stringify(answers)}`, () => {
    const { vendor_metadata } = parse(ziprecruiter, { answers });
    assert.deepEqual(vendor_metadata, {
      answers: [
        { question: "Are you licensed?", answer: "yes" },
        { question: "Which states?", answer: ["TX", "OK"] },
      ],
    });
  });
}

Deno.test("ziprecruiter: an answer that is a file is told by its name, where it has one", () => {
  // As loganh0522/eko (app/controllers/inbound_candidates_controller.rb) takes it: the value is the file.
  const answers: JsonObject[] = [{ id: "f", value: PDF, filename: "license.pdf" }, {
    id: "g",
    value: PDF,
  }];
  const { vendor_metadata } = parse(ziprecruiter, { answers });
  assert.deepEqual(vendor_metadata, {
    answers: [{ question: "f", answer: "license.pdf" }],
    vendor_fields: { answers: [{}, { id: "g" }] },
  });
});
