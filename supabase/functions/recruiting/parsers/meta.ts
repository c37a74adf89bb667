import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { readBoolean, readBoxes } from "./consent.ts";
import { readContact } from "./contact.ts";
import { Fields } from "./fields.ts";
import { isTestLead, readLeadForm } from "./form.ts";
import { parserOf, type RawLead } from "./normalize.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";

/** The error for Meta's notice of a lead, which must be fetched. */
export const NO_CONTACT_DETAILS =
  "this is Meta's leadgen notification, which carries no contact details: fetch the lead with " +
  "GET /{leadgen_id} from the Graph API and send its response (id, created_time, field_data)";

/**
 * A lead of a Meta (Facebook, Instagram) lead form, as the Graph API returns it: `field_data` with `name` and `values`
 * each. Or as relays send it, in any spelling: flattened, with the answers by question in `data` (Make, n8n), or within
 * Meta's notification.
 * Sources: https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving; for n8n
 * https://github.com/n8n-io/n8n (FacebookLeadAdsTrigger.node.ts); for Make its module "New Lead" in public scenarios
 */
export const meta = parserOf((fields, payload) => {
  const lead = leadIn(fields);
  const text = (spelling: string) => lead.text(...lead.spelt(spelling));
  const form = readForm(lead);
  const leadgenId = text("leadgenid");
  if (isEmpty(form)) {
    if (leadgenId !== undefined || hasLeadgenChange(payload)) return NO_CONTACT_DETAILS;
    // An event of the page other than a new lead.
    if (Array.isArray(fields.peek("entry"))) return NOT_A_NEW_APPLICATION;
  }
  return {
    ...form,
    vendor_lead_id: text("id") ?? leadgenId ?? text("leadid"),
    is_test: isTestLead(payload) || lead.value("is_test"),
    submitted_at: text("createdtime") ?? text("datecreated"),
    // The wording of each box is in the form and not in the lead, so the list stays among the vendor's fields.
    consent: { given: readBoxes(lead.peek("custom_disclaimer_responses"), isChecked) },
    more: {
      ...form.more,
      form_id: text("formid") ?? lead.text("form.id"),
      campaign_id: text("campaignid"),
      ad_id: text("adid") ?? lead.text("ad.id"),
    },
  };
});

/** Returns the lead's object: some relays add the answers to the notification of a lead. */
function leadIn(fields: Fields): Fields {
  const value = "entry.0.changes.0.value";
  const isOnlyOne = fields.items("entry").length === 1 &&
    fields.items("entry.0.changes").length === 1;
  return isOnlyOne && Array.isArray(fields.peek(`${value}.field_data`)) ? fields.at(value) : fields;
}

function readForm(fields: Fields): RawLead {
  const questions = fields.items("field_data");
  if (questions.length > 0) {
    const isGraph = questions.some((question) => question.keys().includes("values"));
    return readLeadForm(questions, { name: "name", answer: isGraph ? "values" : "value" });
  }
  const contact = readContact(fields);
  const path = ["field_data", "data"].find((path) => isObject(fields.peek(path)));
  if (path === undefined || contact.first_name || contact.full_name) return contact;
  const answers = Object.entries(fields.value(path) as JsonObject);
  return readLeadForm(answers.map(([name, value]) => new Fields({ name, value })), {
    name: "name",
    answer: "value",
  });
}

function isEmpty({ more, ...contact }: RawLead): boolean {
  return [...Object.values(contact), more?.answers].every((value) => value === undefined);
}

function isChecked({ is_checked }: JsonObject): boolean | undefined {
  // Meta sends "1" for a checked box and "" otherwise.
  return is_checked === "" ? false : readBoolean(is_checked);
}

function hasLeadgenChange(payload: Json): boolean {
  if (!isObject(payload) || !Array.isArray(payload.entry)) return false;
  const changes = payload.entry.filter(isObject).flatMap((item) => item.changes ?? []);
  return changes.some((change) => isObject(change) && change.field === "leadgen");
}
