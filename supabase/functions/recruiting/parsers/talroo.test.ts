import assert from "node:assert/strict";
import { parse } from "./fixtures/parsed.ts";
import { talroo } from "./talroo.ts";

Deno.test("talroo: an event without an application id has no vendor_lead_id", () => {
  const { vendor_lead_id } = parse(talroo, { id: "evt-1", data: { applicant: { firstName: "Nia" } } });
  assert.equal(vendor_lead_id, undefined);
});
