import assert from "node:assert/strict";
import { parse } from "./fixtures/parsed.ts";
import { monster } from "./monster.ts";

Deno.test("monster: version 1 in base64, of a type other than PDF", () => {
  const { resume } = parse(monster, { FileContents: "UEsDBBQ=", FileExt: ".docx" });
  assert.deepEqual(resume, { base64: "UEsDBBQ=", type: "docx" });
});

Deno.test("monster: a resume of an unknown shape does not prevent the lead", () => {
  const { resume, vendor_metadata } = parse(monster, { applicant: { resume: { blob: { ref: 1 } } } });
  assert.equal(resume, undefined);
  assert.deepEqual(vendor_metadata.vendor_fields, { applicant: { resume: { blob: { ref: 1 } } } });
});
