import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { toText } from "../parsers/fields.ts";

/** The notice of one lead, which has to be fetched. */
export interface LeadgenNotice {
  /** The vendor's id of the lead. Null where the notice has none. */
  leadgen_id: string | null;
  /** As sent. */
  notice: Json;
}

/**
 * The notices in a body of Meta: one for each change of the field `leadgen`, or the body itself as relays send it. A
 * body of LinkedIn is one notice. Sources:
 * https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving and
 * https://learn.microsoft.com/linkedin/marketing/lead-sync/leadsync
 */
export function leadgenNotices(payload: Json): LeadgenNotice[] {
  const changes = objects(isObject(payload) ? payload.entry : null)
    .flatMap(({ changes }) => objects(changes))
    .filter(({ field }) => field === "leadgen");
  const values = changes.length > 0 ? changes.map(({ value }) => value ?? null) : [payload];
  return values.map((value) => ({
    leadgen_id: isObject(value) ? idOf(value) ?? null : null,
    notice: values.length > 1 ? value : payload,
  }));
}

/** Meta's `leadgen_id`, or the id in LinkedIn's `urn:li:leadGenFormResponse:<id>`. */
function idOf({ leadgen_id, leadGenFormResponse }: JsonObject): string | undefined {
  return toText(leadgen_id) ?? toText(leadGenFormResponse)?.replace(/^urn:li:[A-Za-z]+:/, "");
}

function objects(value: Json | undefined) {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
