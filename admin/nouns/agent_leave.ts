import { valueOf } from "../database.ts";
import { findAgency, findAgent, type Row } from "../find.ts";
import { fullName } from "../names.ts";
import type { Outcome, Session } from "../session.ts";
import { leadsTakenFrom } from "./lead_assign.ts";
import { formatTable } from "../table.ts";

/** The result of `leave_agent`: numbers of rows, and the manager who gets what needs a person. */
interface Left {
  recruiting_leads: number;
  sales_leads: number;
  conversations: number;
  notifications: number;
  order_ids: string[];
  texts: number;
  manager_id: string | null;
  /** The e-mail address of the login that is deleted. */
  login: string | null;
  /** Whether the agency has no active agent now. */
  is_last: boolean;
}

/** Shows what an agent has, then gives all of it to another agent or to the agency and ends the login. */
export async function leaveAgent(
  { sql, confirm, act }: Session,
  given: string,
  { to }: { to?: string },
): Promise<Outcome> {
  const leaving = await findAgent(sql, given);
  const agency = await findAgency(sql, leaving.agency_id);
  const other = to === undefined ? undefined : await findAgent(sql, to, agency);
  const leave = (dryRun: boolean) =>
    act(
      (transaction) => valueOf<Left>(transaction`select public.leave_agent(${leaving.id}, ${other?.id ?? null})`),
      async ({ order_ids }, transaction) => ({
        agent_id: leaving.id,
        ...(other && { to_agent_id: other.id }),
        order_ids,
        lead_ids: await leadsTakenFrom(transaction, leaving.id),
      }),
      dryRun,
    );

  const name = fullName(leaving);
  const planned = await leave(true);
  const last = planned.is_last ? " Nobody is left there: new leads get no agent." : "";
  await confirm(
    `${describe(planned, await receiversOf(sql, planned, other))}\n\n${name} leaves ${agency.name}.${last} Go on?`,
  );
  const left = await leave(false);
  return {
    data: { agent_id: leaving.id, to_agent_id: other?.id ?? null, ...left },
    text: `${describe(left, await receiversOf(sql, left, other))}\n\n${name} has left ${agency.name}.`,
  };
}

/** The receivers of an agent's leads, conversations and orders. */
async function receiversOf(sql: Session["sql"], { manager_id }: Left, other: Row<"agents"> | undefined) {
  if (other !== undefined) return { leads: fullName(other), talks: fullName(other), orders: fullName(other) };
  const [manager] = await sql<Row<"agents">[]>`select * from public.agents where id = ${manager_id}`;
  const talks = manager === undefined ? "the agency" : `the lead's agent, else ${fullName(manager)}`;
  return { leads: "the agency, without an agent", talks, orders: "paused" };
}

function describe(left: Left, { leads, talks, orders }: Awaited<ReturnType<typeof receiversOf>>): string {
  return formatTable([
    { what: "recruiting leads", number: left.recruiting_leads, "what becomes of them": leads },
    { what: "sales leads", number: left.sales_leads, "what becomes of them": leads },
    { what: "conversations", number: left.conversations, "what becomes of them": talks },
    { what: "texts that wait", number: left.texts, "what becomes of them": "sent as they were written" },
    { what: "unread notifications", number: left.notifications, "what becomes of them": talks },
    { what: "orders that name the agent", number: left.order_ids.length, "what becomes of them": orders },
    { what: "login", number: left.login === null ? 0 : 1, "what becomes of them": "deleted, and signed out" },
  ]);
}
