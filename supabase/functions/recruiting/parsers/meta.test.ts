import assert from "node:assert/strict";
import { parse, parsed } from "./fixtures/parsed.ts";
import { readFixture } from "./fixtures/read.ts";
import { meta } from "./meta.ts";

Deno.test("meta: a lead as the Graph API gives it", () => {
  assert.deepEqual(parsed(meta, "meta"), {
    first_name: "Lee",
    vendor_lead_id: "1234567890123456789",
    vendor_metadata: {
      answers: [{ question: "are_you_licensed?", answer: ["yes", "in two states"] }],
      form_id: "330000000000002",
      campaign_id: "120210000000000002",
      ad_id: "120210000000000001",
      last_name: "Whitfield",
      email: "lee.whitfield@example.com",
      phone: "+16145550181",
      phone_raw: "+16145550181",
      state: "OH",
      zip: "43215",
      vendor_fields: { created_time: "2026-07-29T08:00:00+0000", is_organic: false },
    },
  });
});

Deno.test("meta: a lead as a relay flattens it", () => {
  assert.deepEqual(parsed(meta, "meta_flat"), {
    first_name: "Lee",
    vendor_lead_id: "998877665544",
    vendor_metadata: {
      full_name: "Lee Whitfield",
      last_name: "Whitfield",
      email: "lee.whitfield@example.com",
      phone: "+16145550181",
      phone_raw: "614-555-0181",
      state: "OH",
      zip: "43215",
      vendor_fields: { platform: "ig" },
    },
  });
});

Deno.test("meta: a lead of Meta's testing tool is marked as a test", () => {
  assert.equal(parsed(meta, "meta_test").vendor_metadata.is_test, true);
  assert.equal(parsed(meta, "meta").vendor_metadata.is_test, undefined);
});

for (
  const [name, payload] of Object.entries({
    "whole": readFixture("meta_notification"),
    "its value alone": { leadgen_id: "123", page_id: "4", form_id: "5", created_time: 1785312000 },
  })
) {
  Deno.test(`meta: the error for a bare notification (${name}) says what to send instead`, () => {
    const { error } = meta(payload, {});
    assert.match(error ?? "", /leadgen notification.*GET \/\{leadgen_id\}.*field_data/);
  });
}

Deno.test("meta: a notification to which a relay has added the contact is read", () => {
  const { first_name, vendor_lead_id } = parse(meta, { leadgen_id: 77, name: "Lee W" });
  assert.equal(first_name, "Lee");
  assert.equal(vendor_lead_id, "77");
});
