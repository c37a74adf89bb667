import type postgres from "postgres";
import { valueOf } from "../database.ts";
import { findAgent, findLead } from "../find.ts";
import { fullName } from "../names.ts";
import type { Outcome, Session } from "../session.ts";

/** The rows that have moved, as assign_leads() counts them. */
interface Moved {
  recruiting_leads: number;
  sales_leads: number;
  conversations: number;
  notifications: number;
}

/** Gives one lead, or all of an agent, to another agent. */
export async function assignLeads(
  { sql, confirm, act }: Session,
  lead: string | undefined,
  { from, to }: { from?: string; to: string },
): Promise<Outcome> {
  const agent = await findAgent(sql, to);
  const leadId = lead === undefined ? null : (await findLead(sql, lead)).id;
  const leaving = from === undefined ? null : await findAgent(sql, from);
  if (leaving !== null) {
    const question = `Give all leads of ${leaving.first_name} to ${agent.first_name}?`;
    await confirm(question);
  }
  const moved = await act(
    (transaction) =>
      valueOf<Moved>(transaction`select public.assign_leads(${agent.id}, ${leadId}, ${leaving?.id ?? null})`),
    async (moved, transaction) =>
      Object.values(moved).some((number) => number > 0)
        ? ({
          to_agent_id: agent.id,
          ...(leaving && { from_agent_id: leaving.id }),
          lead_ids: leadId === null ? await leadsTakenFrom(transaction, leaving!.id) : [leadId],
        })
        : null,
  );
  const { recruiting_leads, sales_leads, conversations, notifications } = moved;
  const given = `Given to ${agent.first_name}: recruiting leads: ${recruiting_leads}, ` +
    `sales leads: ${sales_leads}, conversations: ${conversations}, unread notifications: ${notifications}.`;
  const hadIt = leadId !== null && recruiting_leads + sales_leads === 0;
  // With its conversation, which somebody else may have taken over.
  const rest = conversations + notifications === 0 ? "Nothing was changed." : given;
  return {
    data: { agent_id: agent.id, ...moved },
    text: hadIt ? `${fullName(agent)} has the lead already. ${rest}` : given,
  };
}

/** The leads that this transaction has taken from an agent. */
export async function leadsTakenFrom(transaction: postgres.TransactionSql, agentId: string): Promise<string[]> {
  const rows = await transaction<{ id: string }[]>`
    select coalesce(a.recruiting_lead_id, a.sales_lead_id) as id from public.lead_assignments a
    where a.from_agent_id = ${agentId} and a.created_at = now() order by id`;
  return rows.map(({ id }) => id);
}
