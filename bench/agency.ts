import { createHash } from "node:crypto";
import type postgres from "postgres";

/** An agency with agents, and a vendor whose leads it has ordered. */
export interface Agency {
  agencyId: string;
  agentId: string;
  vendorId: string;
  vendorKey: string;
  /** As the SQL functions take it. */
  keyHash: string;
  orderId: string;
}

/** Makes an agency with an order that no benchmark comes near to filling. */
export async function createAgency(sql: postgres.Sql, agentCount = 5): Promise<Agency> {
  const [agency] = await sql<[{ id: string }]>`
    insert into agencies (name, timezone) values ('Bench Agency', 'America/Chicago') returning id`;
  const agents = await sql<{ id: string }[]>`
    insert into agents (agency_id, first_name)
    select ${agency.id}, 'Agent ' || n from generate_series(1, ${agentCount}::integer) n returning id`;
  const [vendor] = await sql<[{ id: string }]>`
    insert into vendors (slug, name, parser) values ('bench', 'Bench Leads', 'generic') returning id`;
  const [order] = await sql<[{ id: string }]>`
    insert into recruiting_orders (agency_id, vendor_id, quantity, priority)
    values (${agency.id}, ${vendor.id}, 10000000, 1) returning id`;
  const [{ key }] = await sql<[{ key: string }]>`
    select create_vendor_api_key('bench', 'bench') as key`;
  return {
    agencyId: agency.id,
    agentId: agents[0]!.id,
    vendorId: vendor.id,
    vendorKey: key,
    keyHash: createHash("sha256").update(key).digest("hex"),
    orderId: order.id,
  };
}
