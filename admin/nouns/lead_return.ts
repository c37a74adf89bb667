import type postgres from "postgres";
import { valueOf } from "../database.ts";
import { CommandError, inOptions } from "../errors.ts";
import { findLead } from "../find.ts";
import { operatorHere } from "../operator_here.ts";
import type { Outcome, Session } from "../session.ts";
import { dryRunnable } from "../transaction.ts";

/** The result of return_lead(): the order is as it is afterwards. */
interface Returned {
  lead_id: string;
  agency: string;
  agent: string | null;
  order_id: string;
  filled: number;
  quantity: number;
  order_status: string;
  conversations: number;
  texts: number;
}

/** Takes a lead back from its agency, after it has said what that does. */
export async function returnLead(
  { sql, confirm }: Session,
  name: string,
  { reason, dryRun = false }: { reason: string; dryRun?: boolean },
): Promise<Outcome> {
  const lead = await findLead(sql, name.trim());
  if (lead.kind === "sales") throw new CommandError(`${lead.id} is a sales lead, which no order got.`);
  const run = (transaction: postgres.TransactionSql) =>
    valueOf<Returned>(transaction`select public.return_lead(${lead.id}, ${reason}, ${operatorHere()})`);
  const runAs = (isTrial: boolean) => inOptions(dryRunnable(sql, isTrial, run), { reason: "--reason" });
  const preview = await runAs(true);
  if (dryRun) {
    return { data: { dry_run: true, ...preview }, text: `Dry run: nothing was changed. ${whatItDoes(preview)}` };
  }
  await confirm(`${whatItDoes(preview)} Take the lead of ${lead.name} back for good?`);
  const returned = await runAs(false);
  return {
    data: { dry_run: false, ...returned },
    text: `The lead ${lead.id} was returned. ${whatItDoes(returned)}`,
  };
}

function whatItDoes(
  { agency, agent, order_id, filled, quantity, order_status, conversations, texts }: Returned,
): string {
  const holder = agent === null ? `"${agency}"` : `${agent} of "${agency}"`;
  return `${holder} has it no more, and the order ${order_id} has ${filled} of ${quantity} leads and is ${order_status}. ` +
    `Conversations that stay with the managers: ${conversations}; texts that are not sent: ${texts}.`;
}
