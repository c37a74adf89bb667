import { createHash } from "node:crypto";
import type postgres from "postgres";

/** A vendor with a key. */
export interface Vendor {
  vendorId: string;
  vendorKey: string;
  /** As the SQL functions take it. */
  keyHash: string;
}

/** An agency with agents, and a vendor whose leads it has ordered. */
export interface Agency extends Vendor {
  agencyId: string;
  agentId: string;
  orderId: string;
}

/** Makes an agency with an order that no benchmark comes near to filling. */
export async function createAgency(sql: postgres.Sql, agentCount = 5): Promise<Agency> {
  const [agency] = await sql<[{ id: string }]>`
    insert into agencies (name, timezone) values ('Bench Agency', 'America/Chicago') returning id`;
  const agents = await sql<{ id: string }[]>`
    insert into agents (agency_id, first_name)
    select ${agency.id}, 'Agent ' || n from generate_series(1, ${agentCount}::integer) n returning id`;
  const vendor = await createVendor(sql, "bench");
  const [order] = await sql<[{ id: string }]>`
    insert into recruiting_orders (agency_id, vendor_id, quantity, priority)
    values (${agency.id}, ${vendor.vendorId}, 10000000, 1) returning id`;
  return { ...vendor, agencyId: agency.id, agentId: agents[0]!.id, orderId: order.id };
}

/** Makes a vendor whose leads nobody has ordered yet. */
export async function createVendor(sql: postgres.Sql, slug: string): Promise<Vendor> {
  const [{ id }] = await sql<[{ id: string }]>`
    insert into vendors (slug, name, parser) values (${slug}, 'Bench Leads', 'generic') returning id`;
  const [{ key }] = await sql<[{ key: string }]>`
    select create_vendor_api_key(${slug}, 'bench') as key`;
  const keyHash = createHash("sha256").update(key).digest("hex");
  return { vendorId: id, vendorKey: key, keyHash };
}

/** Makes an agency with 20 agents and the only open order, without a cap, which has got 10,000 leads today. */
export async function createOrder(sql: postgres.Sql): Promise<Agency> {
  // Those of the seed, because some take the leads of any vendor.
  await sql`update recruiting_orders set status = 'paused'`;
  const agency = await createAgency(sql, 20);
  await storeLeads(sql, [agency.orderId], 10_000);
  return agency;
}

/** Stores leads that each of the orders has got today. Triggers see each of them, whatever they count. */
export async function storeLeads(sql: postgres.Sql, orderIds: string[], count: number) {
  for (const orderId of orderIds) {
    await sql`
      insert into recruiting_leads (
        vendor_id, vendor_lead_id, first_name, vendor_metadata, distribution, order_id,
        agency_id, agent_id, distributed_at
      )
      select
        o.vendor_id, gen_random_uuid(), 'Ada',
        jsonb_build_object(
          'last_name', 'Nguyen ' || n, 'email', 'recruit.' || n || '@example.com', 'phone', '+1312' || 2000000 + n, 'state', 'IL'
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
