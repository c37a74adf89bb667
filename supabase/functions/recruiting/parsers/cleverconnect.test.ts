import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { cleverconnect } from "./cleverconnect.ts";
import { parse } from "./fixtures/parsed.ts";

Deno.test("cleverconnect: no attachment is lost", () => {
  for (
    const attachments of [
      "resume.pdf",
      ["resume.pdf"],
      { resume: { url: "https://files.example.com/cv.pdf" } },
      [{ type: "resume", url: { of: "the file" } }],
    ] as Json[]
  ) {
    const { resume, vendor_metadata } = parse(cleverconnect, { attachments });
    assert.equal(resume, undefined);
    const { attachments: others, vendor_fields } = vendor_metadata;
    assert.deepEqual(others === undefined ? vendor_fields : { attachments: others }, { attachments });
  }
});

Deno.test("cleverconnect: one attachment without a list; the attachment in the guide's sample is a text", () => {
  const attachments = {
    type: "resume",
    contentType: "application/pdf",
    content: "Q2xldmVyY29ubmVjdCByb2Nrcw==",
    fileName: "resume.pdf",
  };
  const { resume, vendor_metadata } = parse(cleverconnect, { attachments });
  assert.equal(resume?.base64, attachments.content);
  assert.deepEqual(vendor_metadata, {
    vendor_fields: { attachments: { type: "resume", contentType: "application/pdf", fileName: "resume.pdf" } },
  });
});
