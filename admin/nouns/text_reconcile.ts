import type postgres from "postgres";
import { matchingMessages } from "../../supabase/functions/worker/texts/look_up_text.ts";
import type { TwilioAccount } from "../../supabase/functions/worker/twilio/account.ts";
import { listMedia, listMessages, type TwilioMessage } from "../../supabase/functions/worker/twilio/api.ts";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { pastTime, servicePhone } from "../options.ts";
import type { Outcome, Session } from "../session.ts";
import { accountFromEnvironment, atTwilio } from "../twilio.ts";

/** The messages that Twilio lists, by what became of them. */
interface Counts {
  listed: number;
  /** Texts of recruits that had not arrived: in a conversation, or in none. */
  received: number;
  no_conversation: number;
  /** Our texts whose status was older. */
  updated: number;
  /** Our texts of which we did not know that they were sent. */
  found: number;
  /** Files of recruits' texts that were stored before and have no copy. They are fetched now. */
  files: number;
}

/** The number of ids in one statement. */
const BATCH = 1_000;

/** The statuses of a text, Twilio's and ours, by how late they come. A text keeps one of the last. */
const PROGRESS: Record<string, number> = {
  queued: 1,
  sent: 2,
  delivered: 3,
  read: 3,
  undelivered: 3,
  failed: 3,
};

export function addTextReconcile(noun: AdminCommand): void {
  noun
    .verb(
      "reconcile",
      "asks Twilio for texts and files that never arrived and for unknown statuses, and stores them",
      "--since 2026-01-31T18:00Z",
    )
    .needs(pastTime("--since <time>", "the first time of sending to ask for"))
    .takes(
      servicePhone("--number <phone>", "only texts from and to this number, not the whole account"),
    )
    .addHelpText(
      "after",
      "\nTakes the account from TWILIO_ACCOUNT_SID, and TWILIO_API_KEY with TWILIO_API_SECRET, else" +
        "\nTWILIO_AUTH_TOKEN, in the environment. What is stored already stays as it is.",
    )
    .runs(reconcileTexts);
}

/**
 * Asks Twilio for texts that never arrived and for statuses that are not known, and stores them as the webhooks do.
 * A stored text stays as it is, so the command may be run again at any time.
 */
async function reconcileTexts(
  session: Session,
  { since, number }: { since: Date; number?: string },
): Promise<Outcome> {
  const counts: Counts = { listed: 0, received: 0, no_conversation: 0, updated: 0, found: 0, files: 0 };
  const { progress } = session;
  const account = accountFromEnvironment();
  await session.note(number === undefined ? {} : { service_phone: number });
  await atTwilio("What was stored before stays; run it again.", async () => {
    const messages = await readMessages(account, since, number, progress);
    counts.listed = messages.length;
    for (let start = 0; start < messages.length; start += BATCH) {
      const batch = messages.slice(start, start + BATCH);
      await storeMessages(session, account, batch, counts);
      progress(`${Math.min(start + BATCH, messages.length)} of ${messages.length} compared`);
    }
    await findUnknown(session, account, since, counts);
  });
  const stored = counts.received + counts.no_conversation;
  return {
    data: counts,
    text: `Twilio has ${counts.listed} texts since ${since.toISOString()}. Stored ${stored} that had not ` +
      `arrived, ${counts.no_conversation} of them without a conversation. Brought the status of ` +
      `${counts.updated} up to date, and found ${counts.found} that were sent without our knowing it. ` +
      `Queued ${counts.files} files of stored texts to be copied.`,
  };
}

/** The account's messages since a time, the first one that was sent first. */
async function readMessages(
  account: TwilioAccount,
  since: Date,
  number: string | undefined,
  progress: Session["progress"],
): Promise<TwilioMessage[]> {
  const messages: TwilioMessage[] = [];
  const filters = number === undefined ? [{ since }] : [{ since, to: number }, { since, from: number }];
  for (const filter of filters) {
    for await (const message of listMessages(filter, account)) {
      messages.push(message);
      if (messages.length % BATCH === 0) progress(`${messages.length} messages read`);
    }
  }
  // Twilio lists the last one first, and tells the time in seconds.
  return messages.reverse().sort((one, other) => timeOf(one) - timeOf(other));
}

function timeOf({ date_sent, date_created }: TwilioMessage): number {
  return (date_sent ?? date_created)?.getTime() ?? 0;
}

/**
 * Stores texts of recruits that are not stored yet, the oldest first: of a STOP and a START, the later one holds. And
 * stores the statuses of our texts that Twilio has later ones of.
 */
async function storeMessages(
  { sql, goOn }: Session,
  account: TwilioAccount,
  messages: TwilioMessage[],
  counts: Counts,
): Promise<void> {
  const sids = messages.map(({ sid }) => sid);
  const known = await sql<{ sid: string; status: string | null }[]>`
    select m.provider_message_id as sid, m.status from public.recruiting_messages m
    where m.provider_message_id = any(${sids})
    union all
    select t.message_sid, null from public.unmatched_texts t where t.message_sid = any(${sids})`;
  const withFiles = messages.filter(({ direction, num_media }) => direction === "inbound" && num_media > 0);
  counts.files += await goOn((transaction) =>
    valueOf<number>(transaction`select public.queue_media_copies(${withFiles.map(({ sid }) => sid)})`)
  );
  const statuses = new Map(known.map(({ sid, status }) => [sid, status]));
  for (const message of messages) {
    const { sid, from, to, body, date_sent, date_created } = message;
    const stored = statuses.get(sid);
    if (message.direction !== "inbound") {
      if (stored !== undefined && isLater(message, stored)) {
        await bringUpToDate(goOn, message, counts);
      }
    } else if (stored === undefined) {
      const media = message.num_media > 0 ? await listMedia(sid, account) : [];
      const { status } = await goOn((transaction) =>
        valueOf<{ status: "received" | "no_conversation" }>(transaction`
          select public.receive_sms(
            recruit_phone => ${from}, service_phone => ${to}, message_sid => ${sid}, body => ${body},
            media => ${sql.json(media as never)}, received_at => ${date_sent ?? date_created},
            copies_media => true
          )`)
      );
      counts[status]++;
    }
  }
}

async function bringUpToDate(
  goOn: Session["goOn"],
  message: TwilioMessage,
  counts: Counts,
): Promise<void> {
  const { sid, status, error_code } = message;
  const hasFailed = status === "failed" || status === "undelivered";
  await goOn(async (transaction) => {
    // With this lock, no callback comes in between.
    await transaction`
      select private.lock_sent_text(${sid}, null, ${hasFailed}, ${error_code === "21610"})`;
    const [stored] = await transaction<{ status: string | null }[]>`
      select m.status from public.recruiting_messages m where m.provider_message_id = ${sid}`;
    if (stored === undefined || !isLater(message, stored.status)) return;
    await updateStatus(transaction, message);
    counts.updated++;
  });
}

function isLater({ status }: TwilioMessage, stored: string | null): boolean {
  return (PROGRESS[status] ?? 0) > (PROGRESS[stored ?? ""] ?? 0);
}

async function updateStatus(
  sql: postgres.ISql,
  { sid, status, error_code }: TwilioMessage,
  messageId: string | null = null,
): Promise<void> {
  await sql`
    select public.update_sms_status(
      message_sid => ${sid}, provider_status => ${status === "read" ? "delivered" : status},
      error_code => ${error_code}, message_id => ${messageId}
    )`;
}

/**
 * Finds the messages of our texts by their words, among those that no text has: of texts whose response was lost, and
 * of texts that wait but had been sent before the database was restored.
 */
async function findUnknown(
  { sql, goOn }: Session,
  account: TwilioAccount,
  since: Date,
  counts: Counts,
): Promise<void> {
  // A message is not older than `earliest`. While another text of the conversation is being sent, the message of that
  // one may be there before its MessageSid.
  const texts = await sql`
    select o.message_id, c.recruit_phone as "to", c.service_phone as "from", coalesce(m.body, '') as body,
      case when o.state = 'pending' then o.created_at - interval '1 second'
        else o.attempted_at - interval '3 minutes' end as earliest
    from public.text_outbox o
    join public.recruiting_messages m on m.id = o.message_id
    join public.recruiting_conversations c on c.id = m.conversation_id
    where (o.state in ('pending', 'unconfirmed') or o.state = 'failed' and o.reason = 'unconfirmed')
      and m.provider_message_id is null and coalesce(o.attempted_at, o.created_at) >= ${since}
      and not exists (
        select from public.text_outbox s where s.conversation_id = c.id and s.state = 'sending'
      )
    order by o.ordinal`;
  for (const { message_id, to, from, body, earliest } of texts) {
    // Not by the time of sending, which a message does not have while it waits.
    const messages = (await Array.fromAsync(listMessages({ to, from }, account)))
      .filter(({ date_created }) => date_created === null || date_created >= earliest)
      // The oldest first.
      .reverse();
    for (const message of matchingMessages(body, messages)) {
      const [known] = await sql`
        select from public.recruiting_messages m where m.provider_message_id = ${message.sid}`;
      if (known !== undefined) continue;
      await goOn((transaction) => updateStatus(transaction, message, message_id));
      counts.found++;
      break;
    }
  }
}
