/** Leads as they would be stored, and what of them nobody has read. */
import type { Json, JsonObject } from "../../supabase/functions/_shared/json.ts";
import type { ImportedLead } from "../../supabase/functions/api/imported_lead.ts";
import type { Lead, Parse } from "../../supabase/functions/recruiting/ingest/lead.ts";
import { isEmpty } from "../../supabase/functions/recruiting/parsers/fields.ts";
import type { Reading } from "../../supabase/functions/desk/read_delivery.ts";
import type { Outcome } from "../session.ts";
import { formatTable } from "../table.ts";

const SHOWN = 5;
/** Each unread field is looked for by reading the lead again. */
const LEADS_LOOKED_INTO = 100;
const FIELDS_LOOKED_INTO = 50;

/** The fields that a lead should have, besides a name. */
const EXPECTED = ["state", "email", "phone"];

/**
 * Shows the first leads as they would be stored, and says what they lack and what stays unread, as in
 * `no phone in 2 of 2; unread: tel`.
 *
 * @returns as data {leads, missing: {<field>: <how many lack it>}, unread: [<field>]}
 */
export function previewLeads(readings: Reading[]): Outcome {
  const leads = readings.map(({ lead }) => flat(lead));
  const lacking = EXPECTED
    .map((field) => [field, leads.filter((lead) => isEmpty(lead[field])).length] as const)
    .filter(([, count]) => count > 0);
  const unread = [...new Set(readings.slice(0, LEADS_LOOKED_INTO).flatMap(unreadFields))];
  const remarks = [
    lacking.map(([field, count]) => `no ${field} in ${count} of ${leads.length}`).join(", "),
    unread.length > 0 ? `unread: ${unread.join(", ")}` : "",
  ].filter(Boolean).join("; ");
  const rows = leads.slice(0, SHOWN).map((lead) => ({
    vendor_lead_id: lead.vendor_lead_id ?? lead.external_id,
    first_name: lead.first_name,
    last_name: lead.last_name,
    email: lead.email,
    phone: lead.phone,
    state: lead.state,
    city: lead.city,
    zip: lead.zip,
  }));
  const shown = readings.slice(0, SHOWN).map(({ lead }) => lead);
  return {
    data: { leads: shown, missing: Object.fromEntries(lacking), unread },
    text: [formatTable(rows), remarks].filter(Boolean).join("\n\n"),
  };
}

function flat(lead: Lead | ImportedLead): JsonObject {
  if (!("vendor_metadata" in lead)) return { ...lead };
  const { vendor_metadata, first_name, vendor_lead_id } = lead;
  return { ...vendor_metadata, first_name, vendor_lead_id };
}

/**
 * The fields without which the lead would be the same. Not all of vendor_fields: a value stays there as sent where the
 * lead has it in another form, such as "Texas" for TX.
 */
function unreadFields({ lead, payload, parse }: Reading): string[] {
  if (parse === undefined || !("vendor_metadata" in lead)) return [];
  const whole = readBy(parse, payload);
  return pathsIn(lead.vendor_metadata.vendor_fields ?? {})
    .slice(0, FIELDS_LOOKED_INTO)
    .filter((path) => readBy(parse, without(payload, path)) === whole)
    .map((path) => path.filter((key) => !/^\d+$/.test(key)).join("."));
}

/** The lead that a parser reads, as a text to compare. */
function readBy(parse: Parse, payload: Json): string {
  const { data, error } = parse(payload);
  if (error !== null) return error;
  const { vendor_fields: _, ...metadata } = data.vendor_metadata;
  return JSON.stringify({ ...data, vendor_metadata: metadata });
}

/** The paths of the texts, numbers and booleans in a value. */
function pathsIn(value: Json): string[][] {
  if (isEmpty(value)) return [];
  if (typeof value !== "object") return [[]];
  return Object.entries(value!).flatMap(([key, child]) => pathsIn(child).map((path) => [key, ...path]));
}

function without(value: Json, [key, ...path]: string[]): Json {
  const child = (value as JsonObject | null)?.[key!];
  if (typeof value !== "object" || child === undefined) return value;
  const kept = path.length === 0 ? null : without(child, path);
  if (Array.isArray(value)) return value.with(Number(key), kept);
  const { [key!]: _, ...others } = value!;
  return path.length === 0 ? others : { ...value, [key!]: kept };
}
