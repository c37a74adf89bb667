/** An order after it was saved: what is in force, and what it lacks. */
import type postgres from "postgres";
import type { Row } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatFields, formatTime } from "../table.ts";

/** What a person sees of a row of `order_list`: all but the ids of others, when it was created, the greeting, and the pace. */
export function orderRow(row: postgres.Row) {
  return Object.fromEntries(Object.entries(row).filter(([column]) => !NOT_SHOWN.has(column))) as postgres.Row;
}

const NOT_SHOWN = new Set([
  ...["agency_id", "agent_id", "vendor_id", "created_at", "greeting_template"],
  ...["leads_7_days", "per_day", "full_in_days"],
]);

/** Says what was done to an order, with its settings as they are now. */
export async function orderInForce(
  sql: Session["sql"],
  order: Row<"recruiting_orders">,
  { timezone }: Row<"agencies">,
  said: string,
): Promise<Outcome> {
  const [row] = await sql<[postgres.Row]>`select * from public.order_list where id = ${order.id}`;
  const { id: _, agency, agent, vendor, states, filled, quantity, leads_today: __, ...others } = orderRow(row);
  const timeOf = (time: Date | null) => time && `${formatTime(time, timezone)} ${timezone}`;
  const fields = {
    ...{
      agency,
      agent: agent ?? "any",
      vendor: vendor ?? "any",
      states: states ?? ["any"],
      quantity,
      filled,
      ...others,
    },
    daily_cap: others.daily_cap ?? "none",
    starts_at: timeOf(others.starts_at),
    ends_at: timeOf(others.ends_at),
    greeting_template: order.greeting_template,
  };
  return { data: order, text: `${said}\n\n${formatFields(fields)}`, warnings: await lacksOf(sql, order.id) };
}

/** What is missing so that the leads of an order get an agent, and a greeting where it has one. */
async function lacksOf(sql: Session["sql"], orderId: string): Promise<string[]> {
  const [{ agency, agency_id, timezone, vendor, has_agent, own, away_until, numbers, vendors }] = await sql<[{
    agency: string;
    agency_id: string;
    timezone: string;
    vendor: string | null;
    has_agent: boolean;
    own: string | null;
    away_until: Date | null;
    numbers: number | null;
    vendors: string[] | null;
  }]>`
    select o.agency, o.agency_id, o.vendor, private.next_agent(o.agency_id, o.agent_id) is not null as has_agent,
      y.timezone, concat_ws(' ', own.first_name, own.last_name) as own, own.away_until, g.numbers, g.vendors
    from public.order_list o
    join public.agencies y on y.id = o.agency_id
    left join public.agents own on own.id = o.agent_id and own.away_until > now()
    left join public.greeting_list g on g.order_id = o.id
    where o.id = ${orderId}`;
  const lacks = [
    !has_agent &&
    `Its leads go to no agent, because none of "${agency}" is active, not away and accepts recruits: ` +
      `npm run admin -- agent list --agency ${agency_id}`,
    has_agent && away_until !== null &&
    `Its leads go to other agents until ${formatTime(away_until, timezone)} ${timezone}, because ${own} is away.`,
    numbers === 0 &&
    `Its leads are not greeted, because "${agency}" has no active number: ` +
      `npm run admin -- number add <number> --agency ${agency_id}, or number resume <number>`,
    vendors?.length === 0 &&
    `Its leads are not greeted, because ${vendor ?? "no vendor"} has ${vendor === null ? "" : "no "}text consent: ` +
      `npm run admin -- vendor update ${vendor ?? "<vendor>"} --text-consent true`,
  ];
  return lacks.filter((lack) => lack !== false);
}
