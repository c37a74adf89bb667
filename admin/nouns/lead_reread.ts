import type postgres from "postgres";
import { isObject, type JsonObject, parseJson } from "../../supabase/functions/_shared/json.ts";
import { failure } from "../../supabase/functions/_shared/result.ts";
import type { Parse } from "../../supabase/functions/recruiting/ingest/lead.ts";
import { partParser } from "../../supabase/functions/recruiting/parsers/index.ts";
import type { ParserOf, Reading } from "../../supabase/functions/operator/read_delivery.ts";
import { findVendor, type Row } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { dryRunnable } from "../transaction.ts";
import { previewLeads } from "./lead_preview.ts";

/** New leads may wait while a batch is written. */
const BATCH = 500;
const PREVIEWED = 100;

/** A lead with the text of its metadata, which keeps numbers exact that JavaScript cannot hold. */
export type StoredLead = Row<"recruiting_leads"> & { metadata_json: string };

/** Fills what is empty in stored leads by what the present parsers read of their vendor_fields, in batches. */
export async function rereadLeads(
  { sql, progress }: Session,
  { vendor, since, dryRun = false }: { vendor?: string; since?: Date; dryRun?: boolean },
): Promise<Outcome> {
  const vendors = vendor === undefined
    ? await sql<Row<"vendors">[]>`select * from public.vendors`
    : [await findVendor(sql, vendor)];
  const vendorId = vendor === undefined ? null : vendors[0]!.id;
  const parsers = new Map(vendors.map((vendor) => [vendor.id, leftoversParser(vendor)]));
  const counts = { read: 0, filled: 0 };
  const fields: Record<string, number> = {};
  const first: Reading[] = [];
  let after: string | null = null;
  for (;;) {
    const leads: StoredLead[] = await sql<StoredLead[]>`
      select l.*, l.vendor_metadata::text as metadata_json
      from public.leads_to_reread(${vendorId}, ${since ?? null}, ${after}, ${BATCH}) l`;
    const readings = new Map(leads.map((lead) => {
      const parse = parsers.get(lead.vendor_id) ?? (() => failure("a new vendor"));
      return [lead.id, readLeftovers(lead, parse)];
    }));
    const found = [...readings].map(([id, { found }]) => ({ id, vendor_metadata: found }));
    const filled = await dryRunnable(sql, dryRun, (transaction) =>
      transaction<StoredLead[]>`
        select l.*, l.vendor_metadata::text as metadata_json
        from public.fill_leads(${transaction.json(found as postgres.JSONValue)}) l`);
    counts.read += leads.length;
    counts.filled += filled.length;
    for (const lead of filled) {
      const { stored, reading } = readings.get(lead.id)!;
      const now = metadataOf(lead);
      for (const field of Object.keys(now)) {
        if (JSON.stringify(now[field]) !== JSON.stringify(stored[field])) {
          fields[field] = (fields[field] ?? 0) + 1;
        }
      }
      if (first.length < PREVIEWED) {
        first.push({ ...reading, lead: { ...reading.lead, vendor_metadata: now } });
      }
    }
    progress(`${counts.read} leads read, ${counts.filled} filled`);
    after = leads.at(-1)?.id ?? null;
    if (leads.length < BATCH) break;
  }
  const names = Object.entries(fields).map(([field, count]) => `${field} ${count}`).join(", ");
  const summary = (dryRun ? "Dry run, nothing was changed. " : "") +
    `Leads with vendor_fields: ${counts.read}. Filled: ${counts.filled}${names && ` (${names})`}.`;
  const preview = dryRun && first.length > 0 ? previewLeads(first) : undefined;
  return {
    data: { dry_run: dryRun, ...counts, fields, ...(preview && { preview: preview.data }) },
    text: preview === undefined ? summary : `${preview.text}\n\n${summary}`,
  };
}

/** The parser for a stored lead's vendor_fields. A mapping needs no first name for that: the lead has it. */
export function leftoversParser({ parser, parser_config: config }: ParserOf): Parse {
  const parse = partParser(parser ?? "");
  if (parse === undefined) return () => failure("no parser");
  const { fields } = isObject(config) ? config : {};
  const whole = parser === "mapping" && isObject(fields)
    ? { ...config as JsonObject, fields: { first_name: { const: "-" }, ...fields } }
    : config;
  return (payload) => parse(payload, whole);
}

/** Reads again what no parser has read of a stored lead. */
export function readLeftovers(lead: StoredLead, parse: Parse) {
  const stored = metadataOf(lead);
  const payload = isObject(stored.vendor_fields) ? stored.vendor_fields : {};
  const { vendor_fields: _, ...found } = parse(payload).data?.vendor_metadata ?? {};
  const { first_name, vendor_lead_id } = lead;
  const whole = { first_name, vendor_lead_id, vendor_metadata: { ...found, ...stored } };
  return { stored, found, reading: { lead: whole, payload, parse } };
}

function metadataOf({ metadata_json }: StoredLead): JsonObject {
  return parseJson(metadata_json) as JsonObject;
}
