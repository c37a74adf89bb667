import type { AdminCommand } from "../command.ts";
import { CommandError } from "../errors.ts";
import { findAgency, findAgencyId, findAgent, findOrder, findVendor, type Row } from "../find.ts";
import {
  AGENCY,
  agencyTime,
  choice,
  columnsOf,
  type Given,
  integer,
  ONLY_AGENCY,
  orNone,
  states,
  text,
} from "../options.ts";
import { explainOrder } from "./explain.ts";
import { list, type Outcome, type Session } from "../session.ts";

const QUANTITY = integer("--quantity <number>", "how many leads in all", 1);
const REST = {
  agent_id: orNone(
    text("--agent <agent>", "who gets the leads; without one the agency's agents take turns"),
  ),
  vendor_id: orNone(text("--vendor <vendor>", "only leads of this vendor")),
  states: orNone(states("--states <list>", "only leads from these states, such as IL,IN")),
  daily_cap: orNone(integer("--daily-cap <number>", "the most leads in one day of the agency", 1)),
  priority: integer(
    "--priority <number>",
    "the order with the highest number goes first; 0 unless given",
  ),
  starts_at: orNone(agencyTime("--starts <time>", "when it begins to get leads")),
  ends_at: orNone(agencyTime("--ends <time>", "when it gets no more leads")),
  greeting_template: orNone(
    text(
      "--greeting-template <text>",
      "texted to each of its leads whose vendor has their consent, with {first_name}, {agent}, {agency}",
    ),
  ),
};
const SETTINGS = { quantity: QUANTITY, ...REST };

export function addOrder(program: AdminCommand): void {
  const order = program.noun("order", "agencies' orders for recruiting leads");
  order.verb("list", "orders, the open ones first", "--status open")
    .takes(ONLY_AGENCY)
    .takes(choice("--status <status>", "only these", ["open", "paused", "filled", "closed"]))
    .runs(listOrders);

  const create = '--agency "Lakeshore Insurance" --quantity 100 --states IL,IN --daily-cap 10';
  order.verb("create", "a new order, which is open", create)
    .needs(AGENCY, QUANTITY)
    .takes(...Object.values(REST))
    .runs(createOrder);

  const update = "changes what is given; the order by its id or the beginning of its id";
  order.verb("update <order>", update, "e0000001 --quantity 200 --daily-cap none")
    .changes(SETTINGS)
    .runs(updateOrder);

  const explain =
    "why an order gets leads now or none: all orders, in the order in which leads go to them";
  order.verb("explain <order>", explain, "e0000001").runs(explainOrder);

  order.verb(
    "recount",
    "counts each order's leads of each day anew, and says which counts were wrong",
  )
    .runs(recountOrders);

  for (
    const [verb, status, description] of [
      ["pause", "paused", "stops an order for a while"],
      ["open", "open", "lets a paused or closed order get leads again"],
      ["close", "closed", "ends an order before it is filled"],
    ] as const
  ) {
    order.verb(`${verb} <order>`, description, "e0000001")
      .runs((session, name: string) => setStatus(session, name, status));
  }
}

/** Mends daily counts that differ from the leads that are there. */
async function recountOrders({ sql }: Session): Promise<Outcome> {
  const wrong = await sql`select * from public.recount_orders()`;
  return list(wrong, "Every count was right.");
}

async function listOrders(
  { sql }: Session,
  { agency, status = null }: { agency?: string; status?: string | null },
): Promise<Outcome> {
  const agencyId = await findAgencyId(sql, agency);
  const orders = await sql`
    select o.id, o.agency_id, g.name as agency, o.agent_id, a.first_name as agent, v.slug as vendor,
      o.states, o.filled, o.quantity, o.daily_cap, o.priority, o.status, o.starts_at, o.ends_at
    from public.recruiting_orders o
    join public.agencies g on g.id = o.agency_id
    left join public.agents a on a.id = o.agent_id
    left join public.vendors v on v.id = o.vendor_id
    where (${agencyId}::uuid is null or o.agency_id = ${agencyId})
      and (${status}::text is null or o.status = ${status})
    order by array_position(array['open', 'paused', 'filled', 'closed'], o.status),
      o.priority desc, o.created_at, o.id`;
  const none = `No order is ${status ?? "there yet"}: npm run admin -- order create --help`;
  return list(orders, none, ({ states, ...row }) => ({ ...row, states: states?.join(" ") }));
}

async function createOrder({ sql }: Session, given: Given & { agency: string }): Promise<Outcome> {
  const agency = await findAgency(sql, given.agency);
  const columns = await readSettings(sql, agency, given);
  const [order] = await sql<[Row<"recruiting_orders">]>`
    insert into public.recruiting_orders ${sql({ agency_id: agency.id, ...columns })} returning *`;
  return {
    data: order,
    text: `Created an order for ${order.quantity} leads (${order.id}), which is open.`,
  };
}

async function updateOrder({ sql }: Session, name: string, given: Given): Promise<Outcome> {
  const old = await findOrder(sql, name);
  const columns = await readSettings(sql, await findAgency(sql, old.agency_id), given, old);
  // `filled` may grow meanwhile, so the statement itself compares it with the new quantity.
  const quantity = sql`coalesce(${columns.quantity ?? null}::int, quantity)`;
  const [order] = await sql<Row<"recruiting_orders">[]>`
    update public.recruiting_orders set
      ${sql(columns)},
      status = case
        when status = 'open' and filled = ${quantity} then 'filled'
        when status = 'filled' and filled < ${quantity} then 'open'
        else status
      end
    where id = ${old.id} and filled <= ${quantity} returning *`;
  if (order === undefined) {
    const { filled } = await findOrder(sql, old.id);
    throw new CommandError(
      `--quantity: ${columns.quantity} is less than the ${filled} leads it has already received`,
    );
  }
  const now = order.status === old.status ? "" : ` It is ${order.status} now.`;
  return { data: order, text: `Changed the order ${order.id}.${now}` };
}

/** Pauses, opens or closes an order. An order that is filled can only be closed. */
async function setStatus(
  { sql }: Session,
  name: string,
  status: "paused" | "open" | "closed",
): Promise<Outcome> {
  const { id } = await findOrder(sql, name);
  const [changed] = await sql`
    update public.recruiting_orders set status = ${status}
    where id = ${id} and status <> ${status}
      and (${status} = 'closed' or (${status} = 'paused' and status = 'open')
        or (${status} = 'open' and filled < quantity and (ends_at is null or ends_at > now())))
    returning *`;
  if (changed !== undefined) return { data: changed, text: `The order ${id} is ${status} now.` };

  const order = await findOrder(sql, id);
  if (order.status === status) {
    return { data: order, text: `The order ${id} was ${status} before.` };
  }
  if (order.filled === order.quantity) {
    throw new CommandError(
      `The order ${id} has all of its ${order.quantity} leads. For more: ` +
        `npm run admin -- order update ${id} --quantity <number>`,
    );
  }
  if (status === "open") {
    throw new CommandError(
      `The order ${id} has ended: npm run admin -- order update ${id} --ends <time>`,
    );
  }
  throw new CommandError(`The order ${id} is ${order.status}, so it gets no leads as it is.`);
}

/** The columns of what is given, with ids in place of names and times in the agency's time zone. */
async function readSettings(
  sql: Session["sql"],
  agency: Row<"agencies">,
  given: Given,
  old?: Row<"recruiting_orders">,
) {
  const columns = columnsOf(SETTINGS, given);
  const { agent_id, vendor_id, starts_at, ends_at, greeting_template } = columns;
  if (typeof agent_id === "string") columns.agent_id = await findAgentOf(sql, agency, agent_id);
  if (typeof vendor_id === "string") columns.vendor_id = (await findVendor(sql, vendor_id)).id;
  if (typeof starts_at === "string") columns.starts_at = await readTime(sql, starts_at, agency);
  if (typeof ends_at === "string") columns.ends_at = await readEnd(sql, ends_at, agency);
  if (typeof greeting_template === "string") await requireTemplate(sql, greeting_template);
  requireEndAfterStart({ ...old, ...columns });
  return columns;
}

async function findAgentOf(
  sql: Session["sql"],
  agency: Row<"agencies">,
  name: string,
): Promise<string> {
  const { id, first_name, is_active } = await findAgent(sql, name, agency);
  if (is_active) return id;
  throw new CommandError(
    `--agent: ${first_name} is inactive and gets no lead: npm run admin -- agent update ${id} --active true`,
  );
}

/** Reads a time. One without an offset is meant in the agency's time zone. */
async function readTime(
  sql: Session["sql"],
  text: string,
  { timezone }: Row<"agencies">,
): Promise<Date> {
  const hasOffset = /(Z|[+-]\d\d:\d\d)$/.test(text.slice("2027-01-31".length));
  if (hasOffset) return new Date(text);
  const [{ moment }] = await sql<[{ moment: Date }]>`
    select ${text}::text::timestamp at time zone ${timezone}::text as moment`;
  return moment;
}

async function readEnd(sql: Session["sql"], text: string, agency: Row<"agencies">): Promise<Date> {
  const end = await readTime(sql, text, agency);
  if (end.getTime() > Date.now()) return end;
  throw new CommandError(
    `--ends: ${end.toISOString()} is in the past, so the order would get no lead`,
  );
}

/** Law and carriers want a greeting to name its sender and the way to opt out. */
async function requireTemplate(sql: Session["sql"], template: string): Promise<void> {
  const [{ is_template }] = await sql<[{ is_template: boolean }]>`
    select private.is_greeting_template(${template}) as is_template`;
  if (is_template) return;
  throw new CommandError(
    "--greeting-template: give a text of at most 1,600 characters with {agency} and the word STOP, and no other " +
      "braces than {agency}, {first_name} and {agent}. Characters are UTF-16 units: most emoji have 2 or more",
  );
}

function requireEndAfterStart({ starts_at, ends_at }: { starts_at?: unknown; ends_at?: unknown }) {
  if (!(starts_at instanceof Date && ends_at instanceof Date) || ends_at > starts_at) return;
  throw new CommandError(
    `--ends: ${ends_at.toISOString()} is not after the start, ${starts_at.toISOString()}`,
  );
}
