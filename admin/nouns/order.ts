import type { Command } from "commander";
import type postgres from "postgres";
import {
  type AgencyRow,
  findAgency,
  findAgent,
  findOrder,
  findVendor,
  type OrderRow,
} from "../find.ts";
import {
  agencyTime,
  choice,
  integer,
  type Nullable,
  orNone,
  states,
  text,
  toColumns,
} from "../options.ts";
import { CommandError, type Outcome, type Run } from "../outcome.ts";
import { formatTable } from "../table.ts";
import { addNoun, addVerb, requireChange } from "../verb.ts";

/** What may be set of an order; what is left out stays as it is. */
interface Settings {
  quantity?: number;
  agent?: Nullable<string>;
  vendor?: Nullable<string>;
  states?: Nullable<string[]>;
  dailyCap?: Nullable<number>;
  priority?: number;
  starts?: Nullable<string>;
  ends?: Nullable<string>;
  greetingTemplate?: Nullable<string>;
}

/** The columns of public.recruiting_orders that may be set. */
interface Columns {
  quantity: number;
  agent_id: string | null;
  vendor_id: string | null;
  states: string[] | null;
  daily_cap: number | null;
  priority: number;
  starts_at: Date | null;
  ends_at: Date | null;
  greeting_template: string | null;
}

interface Filter {
  agency?: string;
  status?: OrderRow["status"];
}

export function addOrder(parent: Command, run: Run): void {
  const order = addNoun(parent, "order", "agencies' orders for recruiting leads");
  const agency = (description: string) => text("--agency <agency>", description);
  const quantity = () => integer("--quantity <number>", "how many leads in all", 1);
  const rest = [
    () =>
      orNone(
        text("--agent <agent>", "who gets the leads; without one the agency's agents take turns"),
      ),
    () => orNone(text("--vendor <slug>", "only leads of this vendor")),
    () => orNone(states("--states <list>", "only leads from these states, such as IL,IN")),
    () => orNone(integer("--daily-cap <number>", "the most leads in one day of the agency", 1)),
    () =>
      integer(
        "--priority <number>",
        "the order with the highest number goes first; 0 unless given",
      ),
    () => orNone(agencyTime("--starts <time>", "when it begins to get leads")),
    () => orNone(agencyTime("--ends <time>", "when it gets no more leads")),
    () =>
      orNone(
        text(
          "--greeting-template <text>",
          "texted to each of its leads whose vendor has their consent, with {first_name}, {agent}, {agency}",
        ),
      ),
  ];

  addVerb(order, "list", "orders, the open ones first", "list --status open")
    .addOption(agency("only this agency's; its id, the beginning of its id, or its name"))
    .addOption(
      choice("--status <status>", "only these", ["open", "paused", "filled", "closed"]),
    )
    .action((filter: Filter) => run(({ sql }) => listOrders(sql, filter)));

  const create = addVerb(
    order,
    "create",
    "a new order, which is open",
    'create --agency "Lakeshore Insurance" --quantity 100 --states IL,IN --daily-cap 10',
  )
    .addOption(
      agency("the agency: its id, the beginning of its id, or its name").makeOptionMandatory(),
    )
    .addOption(quantity().makeOptionMandatory());
  for (const option of rest) create.addOption(option());
  create.action((settings: Settings & { agency: string }) =>
    run(({ sql }) => createOrder(sql, settings))
  );

  const update = addVerb(
    order,
    "update <order>",
    "changes what is given; the order by its id or the beginning of its id",
    "update e0000000 --quantity 200 --daily-cap none",
  ).addOption(quantity());
  for (const option of rest) update.addOption(option());
  update.action((given: string, settings: Settings, command: Command) => {
    requireChange(settings, command);
    return run(({ sql }) => updateOrder(sql, given, settings));
  });

  const changes = [
    ["pause", "paused", "stops an order for a while"],
    ["open", "open", "lets a paused or closed order get leads again"],
    ["close", "closed", "ends an order before it is filled"],
  ] as const;
  for (const [verb, status, description] of changes) {
    addVerb(order, `${verb} <order>`, description, `${verb} e0000000`)
      .action((given: string) => run(({ sql }) => setStatus(sql, given, status)));
  }
}

async function listOrders(sql: postgres.Sql, { agency, status }: Filter): Promise<Outcome> {
  const agencyId = agency === undefined ? null : (await findAgency(sql, agency)).id;
  const orders = await sql`
    select o.id, o.agency_id, g.name as agency, o.agent_id, a.first_name as agent, v.slug as vendor,
      o.states, o.filled, o.quantity, o.daily_cap, o.priority, o.status, o.starts_at, o.ends_at
    from public.recruiting_orders o
    join public.agencies g on g.id = o.agency_id
    left join public.agents a on a.id = o.agent_id
    left join public.vendors v on v.id = o.vendor_id
    where (${agencyId}::uuid is null or o.agency_id = ${agencyId})
      and (${status ?? null}::text is null or o.status = ${status ?? null})
    order by array_position(array['open', 'paused', 'filled', 'closed'], o.status),
      o.priority desc, o.created_at, o.id`;
  const none = "There is no such order: npm run admin -- order create --help";
  // The ids are for scripts; a person reads the names.
  const rows = orders.map(({ agency_id: _agency, agent_id: _agent, states, ...row }) => ({
    ...row,
    states: states?.join(" "),
  }));
  return { data: orders, text: orders.length > 0 ? formatTable(rows) : none };
}

async function createOrder(
  sql: postgres.Sql,
  settings: Settings & { agency: string },
): Promise<Outcome> {
  const agency = await findAgency(sql, settings.agency);
  const columns = await columnsOf(sql, agency, settings);
  requireEndAfterStart({ starts_at: null, ends_at: null, ...columns });
  const [order] = await sql<[OrderRow]>`
    insert into public.recruiting_orders ${sql({ agency_id: agency.id, ...columns })} returning *`;
  return {
    data: order,
    text: `Created an order for ${order.quantity} leads (${order.id}), which is open.`,
  };
}

async function updateOrder(sql: postgres.Sql, given: string, settings: Settings): Promise<Outcome> {
  const old = await findOrder(sql, given);
  const columns = await columnsOf(sql, await findAgency(sql, old.agency_id), settings);
  requireEndAfterStart({ ...old, ...columns });
  // `filled` may grow meanwhile, so the statement itself compares it with the new quantity.
  const quantity = settings.quantity === undefined ? sql`quantity` : sql`${settings.quantity}::int`;
  const [order] = await sql<OrderRow[]>`
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
      `--quantity: ${settings.quantity} is less than the ${filled} leads it has already received`,
    );
  }
  const now = order.status === old.status ? "" : ` It is ${order.status} now.`;
  return { data: order, text: `Changed the order ${order.id}.${now}` };
}

/** Pauses, opens or closes an order. An order that is filled can only be closed. */
async function setStatus(
  sql: postgres.Sql,
  given: string,
  status: "paused" | "open" | "closed",
): Promise<Outcome> {
  const { id } = await findOrder(sql, given);
  const [changed] = await sql<OrderRow[]>`
    update public.recruiting_orders set status = ${status}
    where id = ${id} and status <> ${status}
      and (${status} = 'closed' or (${status} = 'paused' and status = 'open')
        or (${status} = 'open' and filled < quantity))
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
  throw new CommandError(`The order ${id} is ${order.status}, so it gets no leads as it is.`);
}

async function columnsOf(
  sql: postgres.Sql,
  agency: AgencyRow,
  { quantity, agent, vendor, states, dailyCap, priority, starts, ends, greetingTemplate }: Settings,
): Promise<Partial<Columns>> {
  return toColumns<Columns>({
    quantity,
    agent_id: typeof agent === "string" ? await findAgentOf(sql, agency, agent) : agent,
    vendor_id: typeof vendor === "string" ? (await findVendor(sql, vendor)).id : vendor,
    states,
    daily_cap: dailyCap,
    priority,
    starts_at: typeof starts === "string" ? await readTime(sql, starts, agency) : starts,
    ends_at: typeof ends === "string" ? await readTime(sql, ends, agency) : ends,
    greeting_template: typeof greetingTemplate === "string"
      ? await readTemplate(sql, greetingTemplate)
      : greetingTemplate,
  });
}

/** Law and carriers want a greeting to name its sender and the way to opt out. */
async function readTemplate(sql: postgres.Sql, template: string): Promise<string> {
  const [{ is_template }] = await sql<[{ is_template: boolean }]>`
    select private.is_greeting_template(${template}) as is_template`;
  if (is_template) return template;
  throw new CommandError(
    "--greeting-template: give a text of at most 1,600 characters with {agency} and the word STOP, and no other " +
      "braces than {agency}, {first_name} and {agent}. Characters are UTF-16 units: most emoji have 2 or more",
  );
}

async function findAgentOf(sql: postgres.Sql, agency: AgencyRow, given: string): Promise<string> {
  const agent = await findAgent(sql, given);
  if (agent.agency_id === agency.id) return agent.id;
  throw new CommandError(`--agent: "${given}" is not an agent of "${agency.name}"`);
}

/** Reads a time. One without an offset is meant in the agency's time zone. */
async function readTime(sql: postgres.Sql, text: string, { timezone }: AgencyRow): Promise<Date> {
  const hasOffset = /(Z|[+-]\d\d:\d\d)$/.test(text.slice("2027-01-31".length));
  if (hasOffset) return new Date(text);
  const [{ moment }] = await sql<[{ moment: Date }]>`
    select ${text}::text::timestamp at time zone ${timezone}::text as moment`;
  return moment;
}

function requireEndAfterStart(order: Pick<Partial<Columns>, "starts_at" | "ends_at">): void {
  const { starts_at, ends_at } = order;
  if (!starts_at || !ends_at || ends_at > starts_at) return;
  throw new CommandError(
    `--ends: ${ends_at.toISOString()} is not after the start, ${starts_at.toISOString()}`,
  );
}
