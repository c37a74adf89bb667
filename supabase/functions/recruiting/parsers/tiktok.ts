import { isObject, type Json } from "../../_shared/json.ts";
import { Fields, toText } from "./fields.ts";
import { isTestLead, readLeadForm } from "./form.ts";
import { parserOf } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION, type SplitLeads } from "./parser.ts";

/** The `object` of a notification about leads. The same URL may receive other notifications, such as reviewed ads. */
const LEADS = "1";

/**
 * A lead of a TikTok lead form, as TikTok's webhook sends it: `object` 1 and `entry`, a list of leads. Each has `id`,
 * `page_id` (the form), `create_time` in Unix seconds, and `changes` with a `field` and a `value` for each question. Or
 * a single such entry, or the response of `/lead/get/`: `lead_data` by question, and `meta_data`.
 * Sources: https://business-api.tiktok.com/portal/docs?id=1810521739537409 (webhook) and …?id=1832112833212434
 */
export const tiktok = parserOf((fields, payload) => {
  if ((toText(fields.peek("object")) ?? LEADS) !== LEADS) return NOT_A_NEW_APPLICATION;
  const entries = fields.items("entry");
  if (entries.length > 1) return `entry: send each of the ${entries.length} leads by itself`;

  const entry = entries[0] ?? (fields.peek("changes") === undefined ? undefined : fields);
  const { lead, questions } = entry ? { lead: entry, questions: entry.items("changes") } : readRetrieved(fields);
  const form = readLeadForm(questions, { name: "field", answer: "value" });
  return {
    ...form,
    vendor_lead_id: lead.text("id", "lead_id"),
    is_test: isTestLead(payload),
    submitted_at: lead.text("create_time"),
    more: {
      ...form.more,
      form_id: lead.text("page_id"),
      campaign_id: lead.text("campaign_id"),
      ad_id: lead.text("ad_id"),
    },
  };
});

/** Splits a notification with several leads into one for each; returns null for a single lead. */
export function splitTiktok(payload: Json): SplitLeads | null {
  if (!isObject(payload) || !Array.isArray(payload.entry) || payload.entry.length < 2) return null;
  return {
    leads: payload.entry.map((entry) => isObject(entry) ? { ...payload, entry: [entry] } : entry),
    parse: (lead) => tiktok(lead, null),
  };
}

function readRetrieved(fields: Fields): { lead: Fields; questions: Fields[] } {
  const data = isObject(fields.peek("data")) ? fields.at("data") : fields;
  const answers = data.value("lead_data");
  const questions = isObject(answers) ? Object.entries(answers) : [];
  return {
    lead: data.at("meta_data"),
    questions: questions.map(([field, value]) => new Fields({ field, value })),
  };
}
