import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { parse } from "./fixtures/parsed.ts";
import { readSent } from "./fixtures/read.ts";
import { meta, NO_CONTACT_DETAILS } from "./meta.ts";

Deno.test("meta: the error for a bare notification says what to send instead", () => {
  for (
    const [name, payload] of Object.entries({
      "whole": readSent("meta_notification"),
      "its value alone": { leadgen_id: "123", page_id: "4", form_id: "5", created_time: 1785312000 },
    })
  ) {
    const { error } = meta(payload, {});
    assert.equal(error, NO_CONTACT_DETAILS);
    assert.match(NO_CONTACT_DETAILS, /leadgen notification.*GET \/\{leadgen_id\}.*field_data/, name);
  }
});

Deno.test("meta: a notification with contact details added by a relay is read", () => {
  const { first_name, vendor_lead_id } = parse(meta, { leadgen_id: 77, name: "Lee W" });
  assert.equal(first_name, "Lee");
  assert.equal(vendor_lead_id, "77");
});

Deno.test("meta: a lead without a name is not a notification", () => {
  for (
    const contact of [
      { email: "lee@example.com" },
      { field_data: [{ name: "licensed?", values: ["yes"] }] },
    ] as JsonObject[]
  ) {
    const { first_name, vendor_lead_id } = parse(meta, { leadgen_id: 77, ...contact });
    assert.deepEqual([first_name, vendor_lead_id], [undefined, "77"]);
  }
});

Deno.test("meta: a notification with answers added by a relay is read", () => {
  const value = {
    leadgen_id: "77",
    form_id: "5",
    created_time: 1785312000,
    field_data: [{ name: "full_name", values: ["Lee Whitfield"] }],
  };
  const notification = (...values: Json[]) => ({
    object: "page",
    entry: [{ id: "4", changes: values.map((value) => ({ field: "leadgen", value })) }],
  });
  const { first_name, vendor_lead_id, vendor_metadata } = parse(meta, notification(value));
  assert.deepEqual([first_name, vendor_lead_id], ["Lee", "77"]);
  assert.equal(vendor_metadata.form_id, "5");
  assert.equal(vendor_metadata.submitted_at, "2026-07-29T08:00:00.000Z");
  assert.equal(meta(notification(value, value), {}).error, NO_CONTACT_DETAILS);
});

Deno.test("meta: the answers as a list or as an object", () => {
  for (
    const [shape, answers] of [
      ["a list with one value each", {
        field_data: [{ name: "full_name", value: "Lee W" }, { name: "licensed?", value: "yes" }],
      }],
      ["an object", { field_data: { full_name: "Lee W", "licensed?": "yes" } }],
      ["an object beside an empty list", { field_data: [], data: { full_name: "Lee W", "licensed?": ["yes"] } }],
    ] as [string, JsonObject][]
  ) {
    const { first_name, vendor_metadata } = parse(meta, { leadgen_id: "998", ...answers });
    assert.equal(first_name, "Lee");
    assert.deepEqual(vendor_metadata.answers, [{ question: "licensed?", answer: "yes" }], shape);
  }
});

Deno.test("meta: the other fields of a flattened lead in another spelling", () => {
  const { vendor_lead_id, vendor_metadata } = parse(meta, {
    "ID": 12,
    "Full Name": "Lee W",
    "Form ID": 13,
    campaignId: 14,
    "Ad ID": "ag:15",
    "Created Time": "2026-07-29 08:00:00",
  });
  assert.equal(vendor_lead_id, "12");
  const { form_id, campaign_id, ad_id, submitted_at } = vendor_metadata;
  assert.deepEqual({ form_id, campaign_id, ad_id, submitted_at }, {
    form_id: "13",
    campaign_id: "14",
    ad_id: "ag:15",
    submitted_at: "2026-07-29T08:00:00.000Z",
  });
});

Deno.test("meta: a checked box of the disclaimer is a consent", () => {
  const consentFor = (...checked: Json[]) => {
    const custom_disclaimer_responses = checked.map((is_checked, i) => ({
      checkbox_key: `optional_${i + 1}`,
      is_checked,
    }));
    const { vendor_metadata } = parse(meta, { full_name: "Lee W", custom_disclaimer_responses });
    if (checked.length > 0) {
      assert.deepEqual(vendor_metadata.vendor_fields, { custom_disclaimer_responses });
    }
    return vendor_metadata.consent;
  };
  assert.deepEqual(consentFor("1"), { given: true });
  assert.deepEqual(consentFor(true, "1"), { given: true });
  assert.deepEqual(consentFor(""), { given: false });
  assert.equal(consentFor("1", ""), undefined);
  assert.equal(consentFor("perhaps"), undefined);
  assert.equal(consentFor(), undefined);
});
