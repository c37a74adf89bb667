import { isObject, type Json } from "../../_shared/json.ts";
import { success } from "../../_shared/result.ts";
import { Fields, toText } from "./fields.ts";
import { type FormQuestion, readLeadForm } from "./form.ts";
import { normalizeLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";

/**
 * A lead of a Google Ads lead form: `lead_id`, `user_column_data` with a `column_id` such as `FULL_NAME` and a
 * `string_value` each, `is_test`, `lead_submit_time`, and int64 ids. `google_key`, a secret between Google and the advertiser, is not kept.
 * Source: https://developers.google.com/google-ads/webhook/docs/implementation
 */
export const googleAds: Parser = (payload) => {
  const fields = new Fields(payload);
  const form = readLeadForm(readColumns(fields.value("user_column_data")));
  return success(normalizeLead({
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
    vendor_fields: fields.rest(),
  }));
};

// Older leads have no column_id, but a column_name such as "Full Name" or "User Phone".
function readColumns(columns: Json | undefined): FormQuestion[] {
  if (!Array.isArray(columns)) return [];
  return columns.filter(isObject).flatMap((column) => {
    const label = toText(column.column_name);
    const name = toText(column.column_id) ?? label;
    return name === undefined ? [] : [{ name, label, value: column.string_value ?? null }];
  });
}
