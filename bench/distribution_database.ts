import type postgres from "postgres";
import { type Agency, createAgency } from "./agency.ts";

/** An agency with 20 agents and one open order without a cap, which has got 10,000 leads today. */
export async function createOrder(sql: postgres.Sql): Promise<Agency> {
  const agency = await createAgency(sql, 20);
  await storeLeads(sql, [agency.orderId], 10_000);
  return agency;
}

/** Stores leads that each of the orders has got today. Triggers see each of them, whatever they count. */
export async function storeLeads(sql: postgres.Sql, orderIds: string[], count: number) {
  for (const orderId of orderIds) {
    await sql`
      insert into recruiting_leads (
        vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, order_id, agency_id, agent_id, distributed_at
      )
      select
        o.vendor_id, gen_random_uuid(), 'Ada',
        jsonb_build_object(
          'last_name', 'Nguyen ' || n, 'email', 'recruit.' || n || '@example.com', 'phone', '+13125550142', 'state', 'IL'
        ),
        'distributed', o.id, o.agency_id, a.ids[1 + n % cardinality(a.ids)], now()
      from recruiting_orders o
      cross join lateral (select array_agg(id) as ids from agents where agency_id = o.agency_id) a
      cross join generate_series(1, ${count}::integer) n
      where o.id = ${orderId}`;
    await sql`update recruiting_orders set filled = filled + ${count} where id = ${orderId}`;
  }
  await sql`vacuum analyze`;
}
