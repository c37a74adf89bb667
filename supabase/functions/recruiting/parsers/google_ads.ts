import { readLeadForm } from "./form.ts";
import { parserOf } from "./normalize.ts";

/**
 * A lead of a Google Ads lead form: `lead_id`, `user_column_data` with a `column_id` such as `FULL_NAME` and a
 * `string_value` each, `is_test`, `lead_submit_time`, and int64 ids. `google_key`, a secret between Google and the
 * advertiser, is not stored.
 * Source: https://developers.google.com/google-ads/webhook/docs/implementation
 */
export const googleAds = parserOf((fields) => {
  // Older leads have no column_id, but a column_name such as "Full Name" or "User Phone".
  const form = readLeadForm(fields.items("user_column_data"), {
    name: "column_id",
    label: "column_name",
    answer: "string_value",
  });
  return {
    ...form,
    vendor_lead_id: fields.text("lead_id"),
    is_test: fields.value("is_test"),
    submitted_at: fields.text("lead_submit_time"),
    more: {
      ...form.more,
      form_id: fields.text("form_id"),
      campaign_id: fields.text("campaign_id"),
      click_id: fields.text("gcl_id"),
    },
  };
});
