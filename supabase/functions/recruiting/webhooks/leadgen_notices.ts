import { isObject, type Json } from "../../_shared/json.ts";
import { toText } from "../parsers/fields.ts";

/** Meta's notice of one lead, which has to be fetched. */
export interface LeadgenNotice {
  /** Null where the notice has none. */
  leadgen_id: string | null;
  /** As sent. */
  notice: Json;
}

/**
 * The notices in a body of Meta: one for each change of the field `leadgen`, or the body itself as relays send it.
 * Source: https://developers.facebook.com/docs/marketing-api/guides/lead-ads/retrieving
 */
export function leadgenNotices(payload: Json): LeadgenNotice[] {
  const changes = objects(isObject(payload) ? payload.entry : null)
    .flatMap(({ changes }) => objects(changes))
    .filter(({ field }) => field === "leadgen");
  const values = changes.length > 0 ? changes.map(({ value }) => value ?? null) : [payload];
  return values.map((value) => ({
    leadgen_id: isObject(value) ? toText(value.leadgen_id) ?? null : null,
    notice: values.length > 1 ? value : payload,
  }));
}

function objects(value: Json | undefined) {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
