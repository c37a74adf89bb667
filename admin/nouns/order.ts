import type postgres from "postgres";
import type { AdminCommand } from "../command.ts";
import { findAgency, findAgent, findOrder, idOf, type Row } from "../find.ts";
import {
  AGENCY,
  AGENCY_NAMES,
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
import { explainOrders } from "./explain.ts";
import { orderInForce, orderRow } from "./order_in_force.ts";
import { list, lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";

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
type Order = Row<"recruiting_orders">;
type Columns = Record<string, postgres.JSONValue>;

export function addOrder(program: AdminCommand): void {
  const order = program.noun("order", "agencies' orders for recruiting leads");
  order.verb("list", "orders, the open ones first", "--status open")
    .takes(ONLY_AGENCY)
    .takes(choice("--status <status>", "only these", ["open", "paused", "filled", "closed"]))
    .reads(lists("order_list", {
      order: "array_position(array['open', 'paused', 'filled', 'closed'], status), priority desc, " +
        "created_at, id",
      none: ({ status = "there yet" }) => `No order is ${status}: npm run admin -- order create --help`,
      shown: orderRow,
    }));

  const create = '--agency "Lakeshore Insurance" --quantity 100 --states IL,IN --daily-cap 10';
  order.verb("create", "a new order, which is open", create)
    .needs(AGENCY, QUANTITY)
    .takes(...Object.values(REST))
    .runs(createOrder);

  const update = "changes what is given; the order by its id, or the first 8 characters of it";
  order.verb("update <order>", update, "e0000001 --quantity 200 --daily-cap none")
    .changes(SETTINGS)
    .runs(updateOrder);

  const explain = "why an order gets leads now or none: all orders, in the order in which leads go to them; " +
    "or why each order of an agency does";
  order.verb("explain <order|agency>", explain, '"Lakeshore Insurance"').reads(explainOrders);

  order.verb(
    "recount",
    "counts each order's leads of each day anew, and says which counts were wrong",
  )
    .runs(recountOrders);

  for (
    const [verb, status, description] of [
      ["pause", "paused", "stops an order for a while, or all open ones of an agency"],
      ["open", "open", "lets a paused or closed order get leads again, or all paused ones of an agency"],
    ] as const
  ) {
    order.verb(`${verb} [order]`, description, "e0000001")
      .takes(text("--agency <agency>", `all of this agency; ${AGENCY_NAMES}`))
      .refuses((name: string | undefined, { agency }: { agency?: string }) =>
        (name === undefined) === (agency === undefined) && "give one order, or all of an --agency"
      )
      .runs((session, name: string | undefined, { agency }: { agency?: string }) =>
        name === undefined ? setAgencyOrders(session, agency!, verb) : setStatus(session, name, status)
      );
  }
  order.verb("close <order>", "ends an order before it is filled", "e0000001")
    .runs((session, name: string) => setStatus(session, name, "closed"));
}

/** Mends daily counts that differ from the leads that are there. */
async function recountOrders({ act }: Session): Promise<Outcome> {
  const wrong = await act(
    (transaction) => transaction`select * from public.recount_orders()`,
    (wrong) => wrong.length > 0 ? { order_ids: [...new Set(wrong.map(({ order_id }) => order_id))] } : null,
  );
  return list(wrong, "Every count was right.");
}

async function createOrder(session: Session, given: Given & { agency: string }): Promise<Outcome> {
  const { sql, act } = session;
  const agency = await findAgency(sql, given.agency);
  const settings = await settingsOf(sql, agency, given);
  const [order] = await act(
    (transaction) => transaction<[Order]>`select * from public.create_order(${agency.id}, ${sql.json(settings)})`,
    ([{ id }]) => ({ order_id: id, agency_id: agency.id, changes: settings }),
  );
  const leads = order.quantity === 1 ? "1 lead" : `${order.quantity} leads`;
  const said = `Created an order for ${leads} (${order.id}), which is open.`;
  return orderInForce(sql, order, agency, said);
}

async function updateOrder({ sql, act }: Session, name: string, given: Given): Promise<Outcome> {
  const { id, agency_id, status } = await findOrder(sql, name);
  const agency = await findAgency(sql, agency_id);
  const changes = await settingsOf(sql, agency, given);
  const [order] = await act(
    (transaction) => transaction<[Order]>`select * from public.change_order(${id}, ${sql.json(changes)})`,
    { order_id: id, changes },
  );
  const now = order.status === status ? "" : ` It is ${order.status} now.`;
  return orderInForce(sql, order, agency, `Changed the order ${id}.${now}`);
}

/** The columns that a command line sets. */
async function settingsOf(sql: Session["sql"], agency: Row<"agencies">, given: Given): Promise<Columns> {
  const settings = columnsOf(SETTINGS, given);
  const { agent_id, vendor_id } = settings;
  if (typeof agent_id === "string") settings.agent_id = (await findAgent(sql, agent_id, agency)).id;
  if (typeof vendor_id === "string") settings.vendor_id = await idOf(sql, "vendor", vendor_id);
  return settings as Columns;
}

/** Pauses, opens or closes an order. */
async function setStatus({ sql, act }: Session, name: string, status: string): Promise<Outcome> {
  const { id, status: old } = await findOrder(sql, name);
  const [order] = await act(
    (transaction) => transaction`select * from public.change_order(${id}, ${sql.json({ status })})`,
    status === old ? () => null : { order_ids: [id] },
  );
  const [is, now] = status === old ? ["was", "before"] : ["is", "now"];
  return { data: order, text: `The order ${id} ${is} ${status} ${now}.` };
}

/** Pauses all open orders of an agency, or opens all paused ones: those that it has shown, all or none. */
async function setAgencyOrders(
  { sql, confirm, act }: Session,
  name: string,
  verb: "pause" | "open",
): Promise<Outcome> {
  const agency = await findAgency(sql, name);
  const [old, status] = verb === "pause" ? ["open", "paused"] : ["paused", "open"];
  const meant = await sql`
    select o.* from public.order_list o
    where o.agency_id = ${agency.id} and o.status = ${old} order by o.created_at, o.id`;
  if (meant.length === 0) {
    return { data: [], text: `${agency.name} has no order to ${verb}.` };
  }
  const { text: shown } = list(meant, "", orderRow);
  const orders = meant.length === 1 ? "this order" : `these ${meant.length} orders`;
  await confirm(`${shown}\n\n${verb === "pause" ? "Pause" : "Open"} ${orders} of ${agency.name}?`);
  const ids = meant.map(({ id }) => id);
  // Locked in the order of their ids, as everything that locks several orders does.
  const changed = await act(
    (transaction) =>
      transaction`
        select o.*
        from (select unnest(${ids}::uuid[]) as id order by id) given
        cross join public.change_order(given.id, ${sql.json({ status })}, ${sql.json({ status: old })}) o
        order by o.created_at, o.id`,
    { agency_id: agency.id, order_ids: ids },
  );
  const are = changed.length === 1 ? "1 order is" : `${changed.length} orders are`;
  return { data: changed, text: `${ids.join("\n")}\n\n${agency.name}: ${are} ${status} now.` };
}
