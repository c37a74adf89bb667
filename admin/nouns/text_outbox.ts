import type { AdminCommand } from "../command.ts";
import { CommandError, inOptions } from "../errors.ts";
import { findAgencyId } from "../find.ts";
import { choice, LIMIT, ONLY_AGENCY } from "../options.ts";
import { listFirst, type Outcome, type Session } from "../session.ts";

const SITUATIONS = ["held", "due", "sending", "unconfirmed", "refused", "failed"] as const;

/** A text that Twilio does not have, or could not deliver: what tells why. */
interface Situation {
  state: typeof SITUATIONS[number];
  reason: string | null;
  /** As text, because it may be infinity. */
  due_at: string;
  /** Null: the number is not one of the agency's. */
  number: "active" | "paused" | null;
  paused_reason: string | null;
}

export function addTextOutbox(noun: AdminCommand): void {
  const outbox =
    "texts of ours that are not sent or could not be delivered, and why, the newest first";
  noun.verb("outbox", outbox, "--state held")
    .takes(ONLY_AGENCY, choice("--state <state>", "only these", SITUATIONS), LIMIT)
    .runs(listOutbox);

  const retry =
    "sends a text once more that has failed; by its id, or the first 8 characters of it";
  noun.verb("retry <message>", retry, "5f0c6a3e")
    .addHelpText(
      "after",
      "\nNever one that Twilio has accepted, nor one to a recruit who has opted out.",
    )
    .runs(retryText);
}

async function listOutbox(
  { sql }: Session,
  { agency, state = null, limit }: { agency?: string; state?: string | null; limit: number },
): Promise<Outcome> {
  const agencyId = await findAgencyId(sql, agency);
  const texts = sql`
    select * from (
      select o.message_id, o.created_at, g.name as agency, c.service_phone as "from", c.recruit_phone as "to",
        o.kind,
        case
          when m.status = 'failed' and o.state <> 'refused' then 'failed'
          when o.state <> 'pending' then o.state
          when o.due_at > now() or n.status is distinct from 'active' then 'held'
          else 'due'
        end as state,
        coalesce(o.reason, m.error_code) as reason,
        case when isfinite(o.due_at) then to_char(o.due_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
          else 'infinity' end as due_at,
        o.attempt, o.segments, n.status as number, n.paused_reason
      from public.text_outbox o
      join public.recruiting_messages m on m.id = o.message_id
      join public.recruiting_conversations c on c.id = o.conversation_id
      join public.agencies g on g.id = c.agency_id
      left join public.service_numbers n on n.phone = c.service_phone and n.agency_id = c.agency_id
      where (o.state <> 'accepted' or m.status = 'failed')
        and (${agencyId}::uuid is null or c.agency_id = ${agencyId})
    ) t
    where ${state}::text is null or t.state = ${state}
    order by t.created_at desc, t.message_id`;
  const none = state === null ? "No text waits, and none has failed." : `No text is ${state}.`;
  const { data, text } = await listFirst(sql, limit, texts, none, (row) => {
    const { message_id, created_at, agency, from, to, kind, state } = row;
    return { message_id, created_at, agency, from, to, kind, state, why: whyOf(row as Situation) };
  });
  const rows = data as Situation[];
  return { data: rows.map((row) => ({ ...row, why: whyOf(row) })), text };
}

/** Why a text is where it is, for a person. */
function whyOf({ state, reason, due_at, number, paused_reason }: Situation): string {
  switch (state) {
    case "held":
      if (number === null) return "its number is not one of the agency's";
      if (number === "paused") return `its number is paused: ${paused_reason ?? "no reason given"}`;
      if (reason === "quiet_hours") {
        return due_at === "infinity"
          ? "quiet hours at all times, by the rows of quiet_hours"
          : `quiet hours, until ${due_at}`;
      }
      return `tried again at ${due_at}${reason === null ? "" : `, after ${reason}`}`;
    case "due":
      return "it is sent next";
    case "sending":
      return "it is being sent";
    case "unconfirmed":
      return due_at === "infinity"
        ? "nobody knows whether it was sent"
        : `the response was lost; Twilio is asked for it at ${due_at}`;
    case "refused":
      return "the recruit has opted out";
    case "failed":
      if (reason === "unconfirmed") return "nobody knows whether it was sent";
      if (reason === "media_not_found") return "a file of it is not in the bucket text-media";
      return `Twilio: ${reason}`;
  }
}

/** Sends a text once more that has failed, or of which nobody knows whether it was sent. */
async function retryText({ sql, confirm }: Session, given: string): Promise<Outcome> {
  const [text, other] = await sql<{ message_id: string; is_unknown: boolean }[]>`
    select o.message_id, o.state = 'unconfirmed' or o.reason = 'unconfirmed' as is_unknown
    from private.id_range(${given}) r
    join public.text_outbox o on o.message_id between r.first_id and r.last_id limit 2`;
  if (text === undefined) {
    throw new CommandError(`There is no text "${given}". See npm run admin -- text outbox`);
  }
  if (other !== undefined) throw new CommandError(`"${given}" stands for several texts.`);
  const { message_id, is_unknown } = text;
  if (is_unknown) {
    await confirm(
      "Nobody knows whether it was sent, so the recruit may get it twice. " +
        "npm run admin -- text reconcile asks Twilio.",
    );
  }
  const [retried] = await inOptions(sql`
    select message_id, state, due_at from private.retry_text(${message_id})`);
  return { data: retried, text: `The text ${message_id} is sent once more, when it may be.` };
}
