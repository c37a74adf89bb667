import type { AdminCommand } from "../command.ts";
import { requireOne } from "../find.ts";
import { choice, LIMIT, ONLY_AGENCY } from "../options.ts";
import { conditionOf, type Filters, lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { formatTable } from "../table.ts";
import { explainWhy } from "../../supabase/functions/_shared/twilio_errors.ts";

const SITUATIONS = ["held", "due", "sending", "unconfirmed", "refused", "failed", "never_queued"];

export function addTextOutbox(noun: AdminCommand): void {
  const outbox = "our texts that are not sent or could not be delivered, and why, the newest first";
  noun.verb("outbox", outbox, "--state held")
    .takes(ONLY_AGENCY, choice("--state <state>", "only these", SITUATIONS), LIMIT)
    .runs(listOutbox);

  const retry = "sends a text once more that has failed; by its id, or the first 8 characters of it";
  noun.verb("retry <message>", retry, "5f0c6a3e")
    .addHelpText(
      "after",
      "\nNever one that Twilio has accepted, nor one to a recruit who has opted out.",
    )
    .runs(retryText);
}

const listTexts = lists("outbox_list", {
  order: "created_at desc, message_id",
  none: ({ state }) => {
    if (state === undefined) return "No text waits, and none has failed.";
    return state === "failed" ? "No text has failed." : `No text is ${state.replace("_", " ")}.`;
  },
  isOfPersons: true,
  shown: ({ message_id, lead_id, created_at, agency, from, to, kind, state, why, reason }) => (
    { message_id, lead_id, created_at, agency, from, to, kind, state, why: explainWhy({ why, reason }) }
  ),
});

/** Lists the texts; below those that have failed, how many of each of our numbers have for the same reason. */
async function listOutbox(session: Session, given: Filters & { limit?: number }): Promise<Outcome> {
  const listed = await listTexts(session, given);
  if (given.state !== "failed") return listed;
  const { sql } = session;
  const { isMeant } = await conditionOf(sql, given);
  const counts = await sql<{ from: string; why: string; reason: string | null; texts: number }[]>`
    select "from", why, reason, count(*)::int as texts
    from public.outbox_list where ${isMeant} group by 1, 2, 3 order by 1, 4 desc, 2`;
  if (counts.length === 0) return listed;
  const rows = counts.map(({ from, texts, why, reason }) => ({ from, texts, why: explainWhy({ why, reason }) }));
  return { ...listed, text: `${listed.text}\n\n${formatTable(rows)}` };
}

/** Sends a text once more that has failed, or of which nobody knows whether it was sent. */
async function retryText({ sql, confirm, act }: Session, given: string): Promise<Outcome> {
  const texts = await sql<{ id: string; lead_id: string | null; state: string; is_unknown: boolean }[]>`
    select o.message_id as id, c.recruiting_lead_id as lead_id, o.state, o.state = 'unconfirmed' or o.reason = 'unconfirmed' as is_unknown
    from private.id_range(${given}) r
    join public.text_outbox o on o.message_id between r.first_id and r.last_id
    join public.recruiting_conversations c on c.id = o.conversation_id`;
  const { id, lead_id, is_unknown } = requireOne(texts, "text", given, ({ state }) => state, "text outbox");
  if (is_unknown) {
    await confirm(
      "Nobody knows whether it was sent, so the recruit may get it twice. " +
        "npm run admin -- text reconcile asks Twilio.",
    );
  }
  const [retried] = await act(
    (transaction) => transaction`select message_id, state, due_at from private.retry_text(${id})`,
    { message_id: id, ...(lead_id && { lead_id }) },
  );
  return { data: retried, text: `The text ${id} is sent once more, when it may be.` };
}
