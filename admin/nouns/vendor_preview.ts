import type postgres from "postgres";
import { readDelivery, type Reading } from "../../supabase/functions/desk/read_delivery.ts";
import { leftoversParser, readLeftovers, type StoredLead } from "../../supabase/functions/desk/read_leftovers.ts";
import type { Row } from "../find.ts";
import type { Outcome } from "../session.ts";
import { deliveriesOf } from "./delivery_read.ts";
import { previewLeads } from "./lead_preview.ts";

const SHOWN = 5;

/**
 * The leads that a parser makes of a vendor's newest payloads: open rejected deliveries, and after them stored leads,
 * of which only vendor_fields are read.
 *
 * @param vendor with the parser and its configuration as they would be
 * @returns undefined where the vendor has sent nothing
 */
export async function previewVendor(
  sql: postgres.Sql,
  vendor: Row<"vendors">,
): Promise<Outcome | undefined> {
  const newest = sql`
    select n.id from public.rejected_deliveries n
    where n.vendor_id = ${vendor.id} and n.status = 'open' order by n.received_at desc limit ${SHOWN}`;
  const deliveries = await deliveriesOf(sql, newest);
  const readings: Reading[] = [];
  const rejected: { delivery_id: string; reason: string }[] = [];
  for (const delivery of deliveries) {
    const { data, error } = readDelivery(delivery, vendor);
    if (error === null) readings.push(data);
    else rejected.push({ delivery_id: delivery.id, reason: error });
  }
  const leads = await sql<StoredLead[]>`
    select l.*, l.vendor_metadata::text as metadata_json
    from public.recruiting_leads l
    where l.vendor_id = ${vendor.id} order by l.created_at desc limit ${SHOWN - deliveries.length}`;
  const parse = leftoversParser(vendor);
  readings.push(...leads.map((lead) => readLeftovers(lead, parse).reading));
  if (readings.length === 0 && rejected.length === 0) return undefined;

  const { data, text } = previewLeads(readings);
  const refusals = rejected.map(({ delivery_id, reason }) => `${delivery_id}: ${reason}`);
  return {
    data: { ...data as object, rejected },
    text: ["The newest deliveries and leads, as this parser reads them:", text, ...refusals]
      .filter(Boolean).join("\n\n"),
  };
}
