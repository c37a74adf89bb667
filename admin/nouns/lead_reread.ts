import type postgres from "postgres";
import { failure } from "../../supabase/functions/_shared/result.ts";
import type { Reading } from "../../supabase/functions/desk/read_delivery.ts";
import {
  leftoversParser,
  metadataOf,
  readLeftovers,
  type StoredLead,
} from "../../supabase/functions/desk/read_leftovers.ts";
import { findVendor, type Row } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { previewLeads } from "./lead_preview.ts";

/** New leads may wait while a batch is written. */
const BATCH = 500;
const PREVIEWED = 100;

type WholeLead = Row<"recruiting_leads"> & StoredLead;

/** Fills what is empty in stored leads by what the present parsers read of their vendor_fields, in batches. */
export async function rereadLeads(
  { sql, progress, act }: Session,
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
  const shown: string[] = [];
  const subjectOf = (lead_ids: string[]) => ({ ...(vendorId && { vendor_id: vendorId }), lead_ids });
  let after: string | null = null;
  for (;;) {
    const leads: WholeLead[] = await sql<WholeLead[]>`
      select l.*, l.vendor_metadata::text as metadata_json
      from public.leads_to_reread(${vendorId}, ${since ?? null}, ${after}, ${BATCH}) l`;
    const readings = new Map(leads.map((lead) => {
      const parse = parsers.get(lead.vendor_id) ?? (() => failure("a new vendor"));
      return [lead.id, readLeftovers(lead, parse)];
    }));
    const found = [...readings].map(([id, { found }]) => ({ id, vendor_metadata: found }));
    const filled = await act(
      (transaction) =>
        transaction<WholeLead[]>`
          select l.*, l.vendor_metadata::text as metadata_json
          from public.fill_leads(${transaction.json(found as postgres.JSONValue)}) l`,
      (filled) => filled.length > 0 ? subjectOf(filled.map(({ id }) => id)) : null,
      dryRun,
    );
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
        shown.push(lead.id);
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
    ...(preview && { shows: { ...subjectOf(shown), dry_run: true } }),
  };
}
