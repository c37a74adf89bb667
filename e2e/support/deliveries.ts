/** Rejected deliveries. */
import { sql } from "./client.ts";

/** A delivery that was refused. */
export interface Rejection {
  vendor_id?: string | null;
  route?: string;
  row?: number | null;
  reason?: string;
  payload?: unknown;
  payload_text?: string;
  vendor_lead_id?: string;
  context?: object;
}

/** Writes rejected deliveries, as the routes do. Returns their ids, in the same order. */
export async function reject(...rejections: Rejection[]): Promise<string[]> {
  const request_id = crypto.randomUUID();
  const entries = rejections.map((rejection) => ({
    request_id,
    route: "/recruiting/ingest",
    code: "BAD_REQUEST",
    reason: "no name",
    payload_bytes: 100,
    ...rejection,
  }));
  await sql`select public.record_rejections(${JSON.stringify(entries)}::text::json)`;
  const rows = await sql`
    select id from public.rejected_deliveries where request_id = ${request_id} order by received_at, id`;
  return rows.map(({ id }) => id);
}
