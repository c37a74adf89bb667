import assert from "node:assert/strict";
import { holds, parse } from "./fixtures/parsed.ts";
import { googleAds } from "./google_ads.ts";

Deno.test("google_ads: google_key is not stored, wherever it occurs", () => {
  const lead = parse(googleAds, {
    lead_id: 1,
    google_key: "s3cret-1",
    relay: { body: [{ googleKey: "s3cret-2" }], Google_Key: "s3cret-3" },
    user_column_data: [{ column_id: "FIRST_NAME", string_value: "Ana" }],
  });
  assert.equal(holds(lead.vendor_metadata, "s3cret"), false);
});

Deno.test("google_ads: separate names take precedence, and a lead that is not a test has no is_test", () => {
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

Deno.test("google_ads: columns of the older format, which have no column_id", () => {
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

Deno.test("google_ads: a question of the form cannot set the lead's id or test mark", () => {
  const { vendor_lead_id, vendor_metadata } = parse(googleAds, {
    user_column_data: [{ column_id: "id", string_value: "7" }, { column_id: "test", string_value: "yes" }],
  });
  assert.equal(vendor_lead_id, undefined);
  assert.deepEqual(vendor_metadata, {
    answers: [{ question: "id", answer: "7" }, { question: "test", answer: "yes" }],
  });
});
