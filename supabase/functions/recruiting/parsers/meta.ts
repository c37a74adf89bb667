import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { failure, success } from "../../_shared/result.ts";
import { readBoolean } from "./consent.ts";
import { readContact } from "./contact.ts";
import { Fields } from "./fields.ts";
import { readLeadForm } from "./form.ts";
import { normalizeLead, type RawLead } from "./normalize.ts";
import type { Parser } from "./parser.ts";

/** The failure for Meta's notice that there is a lead, which has to be fetched. */
export const NO_CONTACT_DETAILS =
  "this is Meta's leadgen notification, which carries no contact details: fetch the lead with " +
  "GET /{leadgen_id} from the Graph API and send its response (id, created_time, field_data)";

/**
 * A lead of a Meta (Facebook, Instagram) lead form, as the Graph API gives it (`id`, `created_time`, `field_data` with
 * `name` and `values` each, `custom_disclaimer_responses`), or flattened to `full_name`, `email`, `phone_number`, …, in
 * any spelling, as relays send it.
 * Source: https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving
 */
export const meta: Parser = (payload) => {
  const fields = new Fields(payload);
  const text = (spelling: string) => fields.text(...fields.spelt(spelling));
  const form: RawLead = Array.isArray(fields.peek("field_data"))
    ? readLeadForm(fields.items("field_data"), { name: "name", answer: "values" })
    : readContact(fields);
  const leadgenId = text("leadgenid");
  if (isNotification(payload, form, leadgenId)) return failure(NO_CONTACT_DETAILS);
  return success(normalizeLead({
    ...form,
    vendor_lead_id: text("id") ?? leadgenId ?? text("leadid"),
    is_test: isTestLead(payload) || fields.value("is_test"),
    submitted_at: text("createdtime"),
    consent: { given: isGiven(fields.peek("custom_disclaimer_responses")) },
    more: {
      ...form.more,
      form_id: text("formid"),
      campaign_id: text("campaignid"),
      ad_id: text("adid"),
    },
    fields,
  }));
};

/**
 * Whether the boxes of the form's disclaimer are checked; undefined where only some are. What each box says stands in
 * the form and not in the lead, so the list stays among the vendor's fields.
 */
function isGiven(responses: Json | undefined): boolean | undefined {
  const boxes = Array.isArray(responses) ? responses.filter(isObject) : [];
  // Meta sends "1" for a checked box and "" for another.
  const [first, ...others] = boxes.map(({ is_checked }) =>
    is_checked === "" ? false : readBoolean(is_checked)
  );
  return others.every((other) => other === first) ? first : undefined;
}

/** Whether a lead comes from the form's testing tool. Only its values show it: "<test lead: dummy data for full_name>". */
export function isTestLead(value: Json): boolean {
  if (typeof value === "string") return /^\s*<?test lead: dummy data/i.test(value);
  if (Array.isArray(value)) return value.some(isTestLead);
  return isObject(value) && Object.values(value).some(isTestLead);
}

function isNotification(payload: Json, form: RawLead, leadgenId?: string): boolean {
  if (form.first_name !== undefined || form.full_name !== undefined) return false;
  return leadgenId !== undefined || (isObject(payload) && hasLeadgenChange(payload));
}

function hasLeadgenChange({ entry }: JsonObject): boolean {
  if (!Array.isArray(entry)) return false;
  const changes = entry.filter(isObject).flatMap((item) => item.changes ?? []);
  return changes.some((change) => isObject(change) && change.field === "leadgen");
}
