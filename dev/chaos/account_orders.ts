import { sql } from "../../e2e/support/client.ts";
import type { Finding } from "./finding.ts";
import type { World } from "./world.ts";

/** Whether each order has what it is charged with, and each lead the order that wants it. */
export async function orderFindings({ orderIds, vendorIds }: World): Promise<Finding[]> {
  const charged = (what: string): Finding => ({ kind: "wrongly charged", what });
  const orders = await sql`
    select o.id, o.filled, o.quantity, o.status, count(l.id)::int as leads
    from public.recruiting_orders o
    left join public.recruiting_leads l on l.order_id = o.id
    where o.id in ${sql(orderIds)}
    group by o.id`;
  const days = await sql`
    select o.id, count(*)::int as leads, o.daily_cap
    from public.recruiting_orders o
    join public.agencies a on a.id = o.agency_id
    join public.recruiting_leads l on l.order_id = o.id
    where o.id in ${sql(orderIds)} and o.daily_cap is not null
    group by o.id, (l.distributed_at at time zone a.timezone)::date
    having count(*) > o.daily_cap`;
  const turns = await sql`
    select o.id, max(t.leads)::int as most, min(t.leads)::int as least
    from public.recruiting_orders o
    cross join lateral (
      select count(l.id) as leads
      from public.agents a
      left join public.recruiting_leads l on l.agent_id = a.id
      where a.agency_id = o.agency_id
      group by a.id
    ) t
    where o.id in ${sql(orderIds)}
    group by o.id
    having max(t.leads) - min(t.leads) > 1`;
  const strangers = await sql`
    select l.id from public.recruiting_leads l
    join public.recruiting_orders o on o.id = l.order_id
    where (o.id in ${sql(orderIds)} or l.vendor_id in ${sql(vendorIds)})
      and l.vendor_id is distinct from o.vendor_id`;
  const unfilled = await sql`
    select o.id, o.filled, o.quantity
    from public.recruiting_orders o
    where o.id in ${sql(orderIds)} and o.filled < o.quantity
      and o.quantity <= (
        select count(*) from public.recruiting_leads l
        where l.vendor_id = o.vendor_id and l.order_id is not null
      )`;
  // The last order of each vendor takes any lead, so none may wait.
  const waiting = await sql`
    select l.id, l.distribution from public.recruiting_leads l
    where l.vendor_id in ${sql(vendorIds)} and l.distribution in ('pending', 'unmatched')`;
  const bulk = await sql`
    select l.id from public.recruiting_leads l
    where l.vendor_id in ${sql(vendorIds)} and l.received_via = 'bulk' and l.order_id is not null`;
  const wrongDays = await sql`select * from public.check_daily_counts()`;
  return [
    ...orders.filter(({ filled, leads }) => filled !== leads)
      .map(({ id, filled, leads }) =>
        charged(`order ${id} counts ${filled} leads and has ${leads}`)
      ),
    ...orders.filter(({ leads, quantity }) => leads > quantity)
      .map(({ id, leads, quantity }) => charged(`order ${id} has ${leads} leads of ${quantity}`)),
    ...orders.filter(({ filled, quantity, status }) =>
      (filled === quantity) !== (status === "filled")
    )
      .map(({ id, filled, quantity, status }) =>
        charged(`order ${id} is ${status} with ${filled} leads of ${quantity}`)
      ),
    ...unfilled.map(({ id, filled, quantity }) =>
      charged(`order ${id} has ${filled} leads of ${quantity}, and orders behind it got others`)
    ),
    ...days.map(({ id, leads, daily_cap }) =>
      charged(`order ${id} got ${leads} leads in a day, and its daily cap is ${daily_cap}`)
    ),
    ...wrongDays.map(({ order_id, kept, counted }) =>
      charged(`a day of order ${order_id} counts ${kept} leads and has ${counted}`)
    ),
    ...turns.map(({ id, most, least }) =>
      charged(`the agents of order ${id} got between ${least} and ${most} leads`)
    ),
    ...strangers.map(({ id }) => charged(`lead ${id} has an order of another vendor`)),
    ...waiting.map(({ id, distribution }) =>
      charged(`lead ${id} is ${distribution} while an open order wants it`)
    ),
    ...bulk.map(({ id }) => charged(`lead ${id} came in bulk and was handed out`)),
  ];
}
