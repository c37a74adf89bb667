import type postgres from "postgres";
import { findAgency } from "../find.ts";
import { idRange } from "../lookup.ts";
import { CommandError, type Outcome, type Session } from "../outcome.ts";
import { listed } from "../table.ts";

export const SITUATIONS = ["held", "due", "sending", "unconfirmed", "refused", "failed"] as const;

export interface OutboxFilter {
  agency?: string;
  state?: typeof SITUATIONS[number];
  limit: number;
}

/** A text that Twilio does not have, or could not deliver. */
interface OutboxRow {
  message_id: string;
  created_at: Date;
  agency: string;
  from: string;
  to: string;
  kind: "agent" | "bot" | "greeting";
  state: typeof SITUATIONS[number];
  reason: string | null;
  /** As text, because it may be infinity. */
  due_at: string;
  attempt: number;
  segments: number;
  /** Null: the number is not one of the agency's. */
  number: "active" | "paused" | null;
  paused_reason: string | null;
}

/** Lists what is not sent, and what could not be delivered, the newest first. */
export async function listOutbox(
  sql: postgres.Sql,
  { agency, state, limit }: OutboxFilter,
): Promise<Outcome> {
  const agencyId = agency === undefined ? null : (await findAgency(sql, agency)).id;
  const open = () =>
    sql`
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
      and (${agencyId}::uuid is null or c.agency_id = ${agencyId})`;
  const texts = await sql<OutboxRow[]>`
    select * from (${open()}) t
    where ${state ?? null}::text is null or t.state = ${state ?? null}
    order by t.created_at desc, t.message_id limit ${limit}`;
  const [{ total }] = await sql<[{ total: number }]>`
    select count(*)::int as total from (${open()}) t
    where ${state ?? null}::text is null or t.state = ${state ?? null}`;
  const data = texts.map((text) => ({ ...text, why: whyOf(text) }));
  const rows = data.map(({ message_id, created_at, agency, from, to, kind, state, why }) => ({
    ...{ message_id, created_at, agency, from, to, kind, state, why },
  }));
  return { data, text: listed(rows, total, "No text waits, and none has failed.") };
}

/** Why a text is where it is, for a person. */
function whyOf({ state, reason, due_at, number, paused_reason }: OutboxRow): string {
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
export async function retryText({ sql, confirm }: Session, given: string): Promise<Outcome> {
  const ids = idRange(given);
  const rows = ids === undefined ? [] : await sql<{ message_id: string; is_unknown: boolean }[]>`
    select o.message_id, o.state = 'unconfirmed' or o.reason = 'unconfirmed' as is_unknown
    from public.text_outbox o where o.message_id between ${ids.first} and ${ids.last} limit 2`;
  const [text, other] = rows;
  if (text === undefined) {
    throw new CommandError(`There is no text "${given}". See npm run admin -- text outbox`);
  }
  if (other !== undefined) throw new CommandError(`"${given}" stands for several texts.`);
  if (text.is_unknown) {
    await confirm(
      "Nobody knows whether it was sent, so the recruit may get it twice. " +
        "npm run admin -- text reconcile asks Twilio.",
    );
  }
  try {
    const [retried] = await sql`
      select message_id, state, due_at from private.retry_text(${text.message_id})`;
    return {
      data: retried,
      text: `The text ${text.message_id} is sent once more, when it may be.`,
    };
  } catch (error) {
    throw readRefusal(error);
  }
}

/** What the database says against it, without the name of the argument. */
function readRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  if (!String(error.code).startsWith("PT")) return error;
  return new CommandError(`Nothing was changed: ${error.message.replace(/^message_id: /, "")}`);
}
