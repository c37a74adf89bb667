import type postgres from "postgres";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findLead } from "../find.ts";
import type { Outcome, Session } from "../session.ts";

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

/** A lead as it was named, and what became of it. */
type Attempt = { lead: string } & (Returned | { error: string });

/**
 * Takes leads back from their agencies, each separately, after showing the effects.
 *
 * @throws {CommandError} where none of them can be
 */
export async function returnLeads(
  session: Session,
  names: string[],
  { reason, dryRun = false }: { reason: string; dryRun?: boolean },
): Promise<Outcome> {
  const { sql, confirm, act } = session;
  const attempt = async (lead: string, isTrial: boolean): Promise<Attempt> => {
    try {
      const { id, kind } = await findLead(sql, lead.trim());
      if (kind === "sales") throw new CommandError(`${id} is a sales lead, which no order got.`);
      const run = (transaction: postgres.TransactionSql) =>
        valueOf<Returned>(transaction`select public.return_lead(${id}, ${reason})`);
      return { lead, ...await act(run, { lead_id: id }, isTrial) };
    } catch (thrown) {
      const error = session.explain(thrown);
      if (error instanceof CommandError) return { lead, error: error.message };
      throw error;
    }
  };
  const attemptAll = async (isTrial: boolean): Promise<Outcome & { returned: number }> => {
    const attempts: Attempt[] = [];
    for (const name of names) attempts.push(await attempt(name, isTrial));
    const returned = attempts.filter((each) => !("error" in each)).length;
    const text = attempts.map((each) => describe(each, isTrial, names.length > 1)).join("\n");
    if (returned === 0) throw new CommandError(text);
    return { data: { dry_run: isTrial, leads: attempts }, text, failed: returned < names.length, returned };
  };
  const trial = await attemptAll(true);
  const space = names.length > 1 ? "\n\n" : " ";
  if (dryRun) return { ...trial, text: `Dry run: nothing was changed.${space}${trial.text}` };
  const meant = trial.returned === 1 ? "the lead" : `these ${trial.returned} leads`;
  await confirm(`${trial.text}${space}Take ${meant} back for good?`);
  return await attemptAll(false);
}

/** Describes the result for a lead. A trial does not include what the trials of others would do to the same order. */
function describe(attempt: Attempt, isTrial: boolean, isOneOfMany: boolean): string {
  const named = isOneOfMany ? `${attempt.lead}: ` : "";
  if ("error" in attempt) return `${named}${attempt.error}`;
  const { lead_id, agency, agent, order_id, filled, quantity, order_status, conversations, texts } = attempt;
  const done = isTrial ? "" : `The lead ${lead_id} was returned. `;
  const holder = agent === null ? `"${agency}"` : `${agent} of "${agency}"`;
  const order = isTrial && isOneOfMany
    ? `the order ${order_id} has one lead less`
    : `the order ${order_id} has ${filled} of ${quantity} leads and is ${order_status}`;
  return `${named}${done}${holder} has it no more, and ${order}. ` +
    `Conversations that stay with the managers: ${conversations}; texts that are not sent: ${texts}.`;
}
