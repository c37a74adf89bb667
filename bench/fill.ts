import type { Agency } from "./agency.ts";
import type { BenchStack } from "./stacks.ts";

/**
 * Stores as many recruiting leads and as many sales leads, as two years of the benchmark's agency would have: every
 * fourth recruit went nowhere, the rest to the agency's agents by turns, and the order counts them.
 */
export async function fill({ sql }: BenchStack, agency: Agency, count: number): Promise<void> {
  const { agencyId, vendorId, orderId } = agency;
  await sql.begin(async (sql) => {
    // Neither foreign keys nor triggers look at these rows, so each must be as they would have left it.
    await sql`set local session_replication_role = replica`;
    await sql`
      insert into recruiting_leads (
        vendor_id, vendor_lead_id, first_name, vendor_metadata, order_id, agency_id, agent_id, distributed_at, created_at
      )
      select
        ${vendorId}, gen_random_uuid(), 'Ada',
        jsonb_build_object(
          'last_name', 'Nguyen ' || n, 'email', 'recruit.' || n || '@example.com', 'phone', '+13125550142',
          'phone_raw', '(312) 555-0142', 'city', 'Chicago', 'state', 'IL', 'zip', '60614'
        ),
        case when is_distributed then ${orderId}::uuid end,
        case when is_distributed then ${agencyId}::uuid end,
        case when is_distributed then agents.ids[1 + n % cardinality(agents.ids)] end,
        case when is_distributed then moment end,
        moment
      from (select array_agg(id) as ids from agents where agency_id = ${agencyId}) agents
      cross join generate_series(1, ${count}::integer) n
      cross join lateral (
        select n % 4 <> 0 as is_distributed, now() - interval '2 years' * (1 - n::float / ${count}) as moment
      ) state`;
    await sql`
      insert into leads (
        external_id, agency_id, agent_id, first_name, last_name, phone, phone_e164, email, address, city, state, zip,
        language, type, created_at
      )
      select
        gen_random_uuid(), ${agencyId}, agents.ids[1 + n % cardinality(agents.ids)], 'Ada', 'Nguyen ' || n,
        '(312) 555-0142', '+13125550142', 'lead.' || n || '@example.com', n || ' West Division Street', 'Springfield',
        'IL', '60614', 'en', 'fe', now() - interval '2 years' * (1 - n::float / ${count})
      from (select array_agg(id) as ids from agents where agency_id = ${agencyId}) agents
      cross join generate_series(1, ${count}::integer) n`;
    await sql`insert into lead_metrics (lead_id) select id from leads where agency_id = ${agencyId}`;
    await sql`
      update recruiting_orders set filled = (select count(*) from recruiting_leads where order_id = ${orderId})
      where id = ${orderId}`;
  });
  await sql`vacuum analyze`;
  await sql`checkpoint`;
}
