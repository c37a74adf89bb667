import type postgres from "postgres";
import type { Row } from "../find.ts";

/** A rejected delivery with the text of its payload, which keeps numbers exact that JavaScript cannot hold. */
export type RejectedDelivery = Row<"rejected_deliveries"> & { payload_json: string | null };

/** The deliveries of these ids, in the order in which they came. */
export function deliveriesOf(sql: postgres.Sql, ids: postgres.Fragment): Promise<RejectedDelivery[]> {
  return sql<RejectedDelivery[]>`
    select d.*, d.payload::text as payload_json
    from public.rejected_deliveries d where d.id in (${ids})
    order by d.received_at, d.id`;
}
