import { callDatabase } from "../../_shared/database.ts";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { toText } from "../parsers/fields.ts";
import { fetchAfterResponse } from "./fetch.ts";

/** The format of Meta's ids. */
const ID = /^\d{1,32}$/;

/** The notice of one lead that must be fetched. */
export interface LeadgenNotice {
  /** The vendor's id of the lead; null if the notice has none. */
  leadgen_id: string | null;
  /** The id of the page with the form; null if the notice has none. */
  page_id: string | null;
  /** The id of the form; null if the notice has none. */
  form_id: string | null;
  /** The notice as sent. */
  notice: Json;
}

/**
 * Returns the notices in a body from Meta: one for each change of the field `leadgen`, or the body itself, as relays
 * send it. A body from LinkedIn is one notice. Sources:
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
    page_id: isObject(value) ? toText(value.page_id) ?? null : null,
    form_id: isObject(value) ? toText(value.form_id) ?? null : null,
    notice: values.length > 1 ? value : payload,
  }));
}

/** Returns Meta's `leadgen_id`, or the id in LinkedIn's `urn:li:leadGenFormResponse:<id>`. */
function idOf({ leadgen_id, leadGenFormResponse }: JsonObject): string | undefined {
  return toText(leadgen_id) ?? toText(leadGenFormResponse)?.replace(/^urn:li:[A-Za-z]+:/, "");
}

function objects(value: Json | undefined) {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/**
 * Stores a vendor's notices, and starts fetching their leads.
 *
 * @param pageId the page whose notices are accepted; null accepts any page
 * @returns for each notice, why its lead is not fetched; null if it is fetched or already stored
 * @throws ApiError INTERNAL_ERROR if the database fails. Nothing is stored, so the vendor must send the notices again.
 */
export async function keepNotices(
  vendor_id: string,
  request_id: string,
  notices: LeadgenNotice[],
  pageId: string | null,
): Promise<(string | null)[]> {
  const problems = notices.map((notice) => problemOf(notice, pageId));
  const valid = notices.filter((_, index) => problems[index] === null);
  if (valid.length === 0) return problems;
  const { added, of_others }: { added: number; of_others: string[] } = await callDatabase(
    "add_lead_fetches",
    { vendor_id, request_id, notices: valid },
    { retryWithin: 3_000 },
  );
  if (added > 0) fetchAfterResponse(request_id);
  return notices.map(({ leadgen_id }, index) =>
    problems[index] === null && of_others.includes(leadgen_id!)
      ? "another vendor has given notice of this lead"
      : problems[index]!
  );
}

function problemOf({ leadgen_id, page_id, form_id }: LeadgenNotice, pageId: string | null): string | null {
  if (leadgen_id === null || !ID.test(leadgen_id)) return "leadgen_id: must be digits";
  if (page_id !== null && !ID.test(page_id)) return "page_id: must be digits";
  if (form_id !== null && !ID.test(form_id)) return "form_id: must be digits";
  if (pageId !== null && page_id !== null && page_id !== pageId) return "page_id: is not the page of this webhook";
  return null;
}
