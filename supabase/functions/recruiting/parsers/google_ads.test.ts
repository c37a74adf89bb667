import assert from "node:assert/strict";
import { holds, parse, parsed } from "./fixtures/parsed.ts";
import { googleAds } from "./google_ads.ts";

Deno.test("google_ads: a test lead with a full name, a custom question and int64 ids", () => {
  assert.deepEqual(parsed(googleAds, "google_ads"), {
    first_name: "Ana",
    vendor_lead_id: "TeSter-123-ABCDEFGHIJKLMNOPQRSTUVWXYZ",
    vendor_metadata: {
      answers: [{ question: "Are you licensed?", answer: "Not yet" }],
      form_id: "120000000000000013",
      campaign_id: "9007199254740993",
      click_id: "EAIaIQobChMI",
      full_name: "Ana Lucia Reyes",
      last_name: "Reyes",
      email: "ana@example.com",
      phone: "+16025550170",
      phone_raw: "602-555-0170",
      state: "AZ",
      zip: "85004",
      is_test: true,
      submitted_at: "2026-07-29T08:00:00.000Z",
      vendor_fields: {
        user_column_data: [
          { column_name: "Full Name", column_id: "FULL_NAME" },
          { column_name: "User Email", column_id: "EMAIL" },
          { column_name: "User Phone", column_id: "PHONE_NUMBER" },
          { column_name: "Postal Code", column_id: "POSTAL_CODE" },
          { column_name: "Region", column_id: "REGION", string_value: "Arizona" },
          { column_id: "are_you_licensed?" },
        ],
        api_version: "1.0",
        adgroup_id: 20000000000,
        lead_submit_time: "2026-07-29T08:00:00Z",
      },
    },
  });
});

Deno.test("google_ads: google_key is not kept, wherever it stands", () => {
  const lead = parse(googleAds, {
    lead_id: 1,
    google_key: "s3cret-1",
    relay: { body: [{ googleKey: "s3cret-2" }], Google_Key: "s3cret-3" },
    user_column_data: [{ column_id: "FIRST_NAME", string_value: "Ana" }],
  });
  assert.equal(holds(lead.vendor_metadata, "s3cret"), false);
});

Deno.test("google_ads: given name parts win, and a lead that is no test has no is_test", () => {
  const { first_name, vendor_metadata } = parse(googleAds, {
    is_test: false,
    user_column_data: [
      { column_id: "FULL_NAME", string_value: "A. Reyes" },
      { column_id: "FIRST_NAME", string_value: "Ana" },
      { column_id: "LAST_NAME", string_value: "Reyes Soto" },
    ],
  });
  assert.equal(first_name, "Ana");
  assert.equal(vendor_metadata.last_name, "Reyes Soto");
  assert.equal("is_test" in vendor_metadata, false);
});

Deno.test("google_ads: columns of the older form, which have no column_id", () => {
  const { first_name, vendor_metadata } = parse(googleAds, {
    user_column_data: [
      { column_name: "Full Name", string_value: "Ana Reyes" },
      { column_name: "User Phone", string_value: "602-555-0170" },
      { column_name: "User Email", string_value: "ana@example.com" },
    ],
  });
  assert.equal(first_name, "Ana");
  assert.equal(vendor_metadata.phone, "+16025550170");
  assert.equal(vendor_metadata.email, "ana@example.com");
});

Deno.test("google_ads: a question of the form does not become the lead's id or test mark", () => {
  const { vendor_lead_id, vendor_metadata } = parse(googleAds, {
    user_column_data: [
      { column_id: "id", string_value: "7" },
      { column_id: "test", string_value: "yes" },
    ],
  });
  assert.equal(vendor_lead_id, undefined);
  assert.deepEqual(vendor_metadata, {
    answers: [{ question: "id", answer: "7" }, { question: "test", answer: "yes" }],
  });
});
