import assert from "node:assert/strict";
import { parse, PDF } from "./fixtures/parsed.ts";
import { monster } from "./monster.ts";

Deno.test("monster: version 1 in base64, of a type that is no PDF", () => {
  const { resume } = parse(monster, { FileContents: "UEsDBBQ=", FileExt: ".docx" });
  assert.deepEqual(resume, { base64: "UEsDBBQ=", type: "docx" });
});

Deno.test("monster: a resume of an unknown shape does not stop the lead", () => {
  const { resume, vendor_metadata } = parse(monster, {
    applicant: { resume: { blob: { ref: 1 } } },
  });
  assert.equal(resume, undefined);
  assert.deepEqual(vendor_metadata.vendor_fields, { applicant: { resume: { blob: { ref: 1 } } } });
});

Deno.test("monster: version 1 in camelCase, as older integrations have it", () => {
  const { first_name, vendor_lead_id, resume, vendor_metadata } = parse(monster, {
    firstName: "Tomasz",
    lastName: "Kowalski",
    emailAddress: "tomasz.kowalski@example.com",
    phone: "312-555-0190",
    coverLetter: "I would like to talk.",
    jobRefID: "agent-il-9",
    fileExt: ".pdf",
    countryCode: "US",
    resumeValue: "xk2m9vq7",
    zipCode: "60601",
    fileContents: PDF,
  });
  assert.deepEqual([first_name, vendor_lead_id], ["Tomasz", "agent-il-9:xk2m9vq7"]);
  assert.deepEqual(resume, { base64: PDF, type: "pdf" });
  assert.equal(vendor_metadata.phone, "+13125550190");
  assert.equal(vendor_metadata.zip, "60601");
  assert.deepEqual(vendor_metadata.vendor_fields, {
    coverLetter: "I would like to talk.",
    fileExt: ".pdf",
    resumeValue: "xk2m9vq7",
  });
});

Deno.test("monster: questions", () => {
  const questions = { q1: { question: "Licensed?", answer: "Yes" } };
  const { answers } = parse(monster, { questions }).vendor_metadata;
  assert.deepEqual(answers, [{ question: "Licensed?", answer: "Yes" }]);
});
