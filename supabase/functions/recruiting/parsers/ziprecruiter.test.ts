import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { parse, PDF, PDF_DESCRIPTION } from "./fixtures/parsed.ts";
import { ziprecruiter } from "./ziprecruiter.ts";

Deno.test("ziprecruiter: without a phone, the profile's mobile number is the phone", () => {
  const { vendor_metadata } = parse(ziprecruiter, { profile: { mobile: "404-555-0111" } });
  assert.equal(vendor_metadata.phone, "+14045550111");
});

Deno.test("ziprecruiter: an answer that is a file becomes its name, if it has one", () => {
  // In the format that loganh0522/eko (app/controllers/inbound_candidates_controller.rb) reads: the value is the file.
  const answers: JsonObject[] = [{ id: "f", value: PDF, filename: "license.pdf" }, { id: "g", value: PDF }];
  const { vendor_metadata } = parse(ziprecruiter, { answers });
  assert.deepEqual(vendor_metadata, {
    answers: [{ question: "f", answer: "license.pdf" }],
    vendor_fields: { answers: [{ value: PDF_DESCRIPTION }, { id: "g", value: PDF_DESCRIPTION }] },
  });
});
