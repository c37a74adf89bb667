import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { parse, PDF, PDF_DESCRIPTION } from "./fixtures/parsed.ts";
import { generic } from "./generic.ts";

Deno.test("generic: an id in the usual spellings", () => {
  for (const key of ["submission_id", "Entry Id", "responseId", "external_reference_id"]) {
    assert.equal(parse(generic, { [key]: 7 }).vendor_lead_id, "7");
  }
});

Deno.test("generic: the first spelling wins, and the other stays among the vendor's fields", () => {
  const { vendor_lead_id, vendor_metadata } = parse(generic, { id: 1, lead_id: "L-1" });
  assert.equal(vendor_lead_id, "L-1");
  assert.deepEqual(vendor_metadata.vendor_fields, { id: 1 });
});

const DOC = btoa("{\\rtf1 A letter of recommendation}");
const OTHER = "another application/rtf of 34 bytes";
const URL_OF_RESUME = "https://files.example.com/cv.pdf";
Deno.test("generic: the first file is the resume, and no other is lost", () => {
  for (
    const [payload, metadata] of [
      [{ resume: PDF, cv: DOC }, { resume_skipped: OTHER }],
      [{ resume: { data: PDF }, cv: [{ filename: "a.rtf", content: DOC }, { filename: "b.rtf", content: DOC }] }, {
        resume_skipped: `${OTHER}; ${OTHER}`,
        vendor_fields: { cv: [{ filename: "a.rtf" }, { filename: "b.rtf" }] },
      }],
      [{ resume: [PDF, DOC], cv: DOC }, { resume_skipped: `${OTHER}; ${OTHER}` }],
      [{ resume: URL_OF_RESUME, cv: PDF }, { resume_url: URL_OF_RESUME }],
      [{ resume: "", cv: PDF }, { vendor_fields: { resume: "" } }],
      [{ resume: PDF, letter: DOC }, { vendor_fields: { letter: { type: "application/rtf", bytes: 34 } } }],
    ] as [JsonObject, JsonObject][]
  ) {
    const { resume, vendor_metadata } = parse(generic, payload);
    assert.equal(resume?.base64, PDF);
    assert.deepEqual(JSON.parse(JSON.stringify(vendor_metadata)), metadata);
  }
});

Deno.test("generic: a file in an unknown field is described and not stored", () => {
  const { resume, vendor_metadata } = parse(generic, { portfolio: PDF });
  assert.equal(resume, undefined);
  assert.deepEqual({ ...vendor_metadata }, { vendor_fields: { portfolio: PDF_DESCRIPTION } });
});

Deno.test("generic: a lead whose fields are all read has no vendor_fields", () => {
  const { vendor_metadata } = parse(generic, { first_name: "Ada", resume: PDF });
  assert.equal("vendor_fields" in vendor_metadata, false);
});

Deno.test("generic: the first readable time is the time of the submission", () => {
  const { vendor_metadata } = parse(generic, { submission_date: "05/01/2024", created_at: 1714557600 });
  assert.deepEqual(vendor_metadata, {
    submitted_at: "2024-05-01T10:00:00.000Z",
    vendor_fields: { submission_date: "05/01/2024", created_at: 1714557600 },
  });
});

Deno.test("generic: PX's lead_mode 0 is a test, and 1 is not", () => {
  const isTest = (payload: JsonObject) => parse(generic, payload).vendor_metadata.is_test;
  assert.equal(isTest({ lead_mode: "0" }), true);
  assert.equal(isTest({ lead_mode: 0 }), true);
  assert.equal(isTest({ lead_mode: "1" }), undefined);
  assert.equal(isTest({ lead_mode: "0", is_test: false }), undefined);
});

Deno.test("generic: the consent in the usual fields", () => {
  for (
    const [payload, consent] of [
      [{ Disclaimer: "I agree to be called." }, { text: "I agree to be called." }],
      [{ consent: false }, { given: false }],
      [{ consent: "I agree", ip: "::1" }, { text: "I agree", ip: "::1" }],
      [{ consent: { given: true, at: 1785312000 }, consent_ip: "::1" }, {
        given: true,
        at: "2026-07-29T08:00:00.000Z",
        ip: "::1",
      }],
      [{ consent_date: "2026-07-29" }, { at: "2026-07-29" }],
      [{ ip_address: "::1" }, undefined],
      [{ tcpa_consent: "", ip_address: "::1" }, undefined],
    ] as [JsonObject, JsonObject | undefined][]
  ) {
    assert.deepEqual(parse(generic, payload).vendor_metadata.consent, consent);
  }
});
