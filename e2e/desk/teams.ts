import { signInNewAgent } from "../support/agents.ts";
import { createAgency, createVendor, sql } from "../support/client.ts";

/** An agency with a manager, two agents of whom one does not answer, and these orders. */
export async function createTeam(orders: Record<string, unknown>[] = []) {
  const { id: agency_id, agent_ids: [first] } = await createAgency();
  const manager = await signInNewAgent(agency_id, "manager");
  const vendor = await createVendor("generic");
  await sql`update public.agents set first_name = 'Ada', last_name = 'Byron' where id = ${first!}`;
  await sql`update public.agencies set name = 'Prairie Life' where id = ${agency_id}`;
  await sql`update public.vendors set name = 'Acme Leads' where id = ${vendor.id}`;
  for (const [place, { leads = 0, ...order }] of orders.entries()) {
    const row = {
      agency_id,
      vendor_id: vendor.id,
      quantity: 100,
      created_at: new Date(Date.UTC(2026, 0, 9 - place)),
      ...order,
    };
    const [{ id }] = await sql`insert into public.recruiting_orders ${sql(row)} returning id` as unknown as [
      { id: string },
    ];
    await sql`
      insert into public.recruiting_leads
        (vendor_id, first_name, distribution, agency_id, agent_id, order_id, distributed_at)
      select ${vendor.id}, 'Ida', 'distributed', ${agency_id}, ${first!}, ${id}, now() - interval '1 minute'
      from generate_series(1, ${leads as number})`;
  }
  return { ...manager, agency_id, first: first!, vendor_id: vendor.id as string };
}
