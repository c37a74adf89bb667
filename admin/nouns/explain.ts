import type postgres from "postgres";
import { CommandError } from "../errors.ts";
import { valueOf } from "../database.ts";
import { findAgency, findLead, findOrder, requireOne } from "../find.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable, formatTime } from "../table.ts";

/** Why no order gets a lead in this state. */
const REASONS: Record<string, string> = {
  not_requested: ": in bulk and tests are for no order",
  suppressed: ": its person is in npm run admin -- suppression list",
};

/** Says which orders there are for a lead, in their order, and why each would get it now or not. */
export async function explainLead({ sql }: Session, name: string): Promise<Outcome> {
  const { id, kind } = await findLead(sql, name.trim());
  if (kind === "sales") throw new CommandError(`${id} is a sales lead, which no order gets.`);
  const data = await valueOf<postgres.Row>(sql`select public.explain_lead(${id})`);
  const { vendor, state, distribution, order_id, earlier_id } = data.lead;
  const order = order_id === null ? "" : `, by the order ${order_id.slice(0, 8)}`;
  const rest = earlier_id !== null
    ? `: its person has the earlier lead ${earlier_id}, see npm run admin -- repeat list`
    : REASONS[distribution] ?? order;
  return explained(
    data,
    `The lead is ${distribution}${rest}. A new one of ${vendor} from ${state ?? "no state"}`,
  );
}

/** Says why an order gets leads or none, or each order of an agency. */
export async function explainOrders(session: Session, name: string): Promise<Outcome> {
  const [isOrder, isAgency] = await Promise.all(["order", "agency"].map(async (noun) => {
    const found = await session.sql`select from public.find_named(${noun}, ${name.trim()})`;
    return found.length > 0;
  }));
  if (isOrder) return explainOrder(session, name);
  if (isAgency) return explainAgency(session, name);
  return requireOne([], "order or agency", name, () => null, "order list");
}

/** Says of each order of an agency why it gets leads or none. */
async function explainAgency({ sql }: Session, name: string): Promise<Outcome> {
  const agency = await findAgency(sql, name);
  const orders = await sql<{ id: string; explained: postgres.Row }[]>`
    select (t.o).id, public.explain_order((t.o).id) as explained
    from private.orders_tried() t where (t.o).agency_id = ${agency.id} order by t.place`;
  const data = {
    as_of: orders[0]?.explained.as_of ?? new Date(),
    agency_id: agency.id,
    orders: orders.map(({ id, explained }) => explained.orders.find((each: postgres.Row) => each.order_id === id)),
  };
  return explained(data, `The orders of "${agency.name}" that are not closed`);
}

/** Says in which order leads go to the orders, and what each of them does to the leads that this one wants. */
async function explainOrder({ sql }: Session, name: string): Promise<Outcome> {
  const { id } = await findOrder(sql, name);
  const data = await valueOf<postgres.Row>(sql`select public.explain_order(${id})`);
  const { vendor, states, status, gets_leads, takes_turns } = data.order;
  const gets = takes_turns ? "gets leads by turns with other orders" : gets_leads ? "gets leads" : "gets no lead";
  const wanted = `${vendor ?? "any vendor"} from ${states?.join(", ") ?? "any state"}`;
  return explained(
    data,
    `The order is ${status}, and ${gets}. It wants those of ${wanted}: ` +
      `${data.leads} in seven days, of which ${data.waiting} wait for an order. The orders`,
  );
}

/** The orders of an answer, below what is said before them. */
function explained(data: postgres.Row, said: string): Outcome {
  const rows = data.orders.map((order: postgres.Row) => ({
    order_id: order.order_id,
    agency: order.agency,
    vendor: order.vendor,
    states: order.states?.join(" "),
    priority: order.priority,
    filled: `${order.filled}/${order.quantity}`,
    got: order.got,
    gets: order.gets_it ? "yes" : null,
    reason: order.reason,
  }));
  const orders = rows.length > 0 ? formatTable(rows) : "There is none.";
  return { data, text: `${said}, as of ${formatTime(new Date(data.as_of))} UTC:\n\n${orders}` };
}
