import type postgres from "postgres";
import type { AnswerValue } from "../../supabase/functions/worker/bot/answers.ts";
import type { Script } from "../../supabase/functions/worker/bot/step.ts";
import { anonymous, type Names } from "../conversations/anonymous.ts";
import { answerLine, type Conversation, formatConversation, replyLine, type Turn } from "../conversations/format.ts";
import { CommandError } from "../errors.ts";
import { findLead } from "../find.ts";
import type { Outcome, Session } from "../session.ts";

interface Stored {
  id: string;
  agency_id: string;
  script: Script;
  state: string;
  reason: string | null;
  ended_at: Date;
  lead_names: (string | null)[];
}

interface Text {
  sender_type: "recruit" | "bot" | "agent";
  body: string | null;
  heard: string | null;
  created_at: Date;
  is_greeting: boolean;
}

/** The ends that no text of the recruit has caused. */
const OTHER_ENDS = ["expired", "taken_over", "switched_off", "no_lead", "failed"];
/** Texts that follow each other sooner are read at once. */
const TOGETHER_MS = 30_000;

/** Prints the bot's conversation with a recruit as a file of `bot try --conversations` has it, without names. */
export async function showConversation({ sql }: Session, given: string): Promise<Outcome> {
  const lead = await findLead(sql, given.trim());
  const [stored] = await sql<Stored[]>`
    select c.id, c.agency_id, b.script, s.state, s.reason, coalesce((
        select max(a.created_at) from public.conversation_assignments a
        where a.conversation_id = c.id and a.status = 'escalated' and a.reason = s.reason
      ), s.updated_at) as ended_at,
      array[l.first_name, l.last_name, v.name, v.slug] as lead_names
    from public.recruiting_conversations c
    join public.bot_sessions s on s.conversation_id = c.id
    join public.bot_scripts b on b.id = s.script_id
    join public.recruiting_leads l on l.id = c.recruiting_lead_id
    join public.vendors v on v.id = l.vendor_id
    where c.recruiting_lead_id = ${lead.id} order by s.created_at desc limit 1`;
  if (stored === undefined) throw new CommandError(`${lead.name} has no conversation with the bot.`);
  const texts = await sql<Text[]>`
    select m.sender_type, m.body, m.heard, m.created_at, coalesce(o.kind = 'greeting', false) as is_greeting
    from public.recruiting_messages m left join public.text_outbox o on o.message_id = m.id
    where m.conversation_id = ${stored.id} order by m.created_at, m.id`;
  const answers = await sql<{ question: string; value: AnswerValue; answered_at: Date }[]>`
    select question, value, answered_at from public.screening_answers where lead_id = ${lead.id} order by answered_at`;

  const hide = await hiderOf(sql, stored);
  const turns = turnsOf(stored, texts, hide);
  for (const { question, value, answered_at } of answers) {
    const turn = turns.findLast(({ at }) => at <= answered_at);
    const shown = typeof value === "string" ? hide(value) : value;
    turn?.outcome.unshift(answerLine(question, shown));
  }
  const reason = stored.state === "active" || OTHER_ENDS.includes(stored.reason!) ? null : stored.reason;
  const last = turns.findLast(({ at }) => at <= stored.ended_at);
  if (reason !== null && reason !== "done") last?.outcome.push(`! ${reason}`);
  const conversation: Conversation = {
    name: `Copied: ${stored.reason ?? stored.state}`,
    turns: turns.map(({ texts, outcome }) => ({ texts, outcome })),
  };
  return {
    data: { conversation, script: stored.script },
    text: formatConversation(conversation),
    warnings: ["Read it before you keep it: names that the service does not know are still in it."],
    shows: { lead_id: lead.id },
  };
}

/** The turns up to the first text of a person, each with the time of its first text. */
function turnsOf({ script }: Stored, texts: Text[], hide: (text: string) => string): (Turn & { at: Date })[] {
  const turns: (Turn & { at: Date })[] = [];
  let last: Text | undefined;
  for (const text of texts) {
    if (text.sender_type === "agent") break;
    if (text.is_greeting) continue;
    const body = text.body ?? "";
    const turn = turns.at(-1);
    if (text.sender_type === "bot") turn?.outcome.push(hide(replyLine(script, body)));
    else if (
      turn !== undefined && last?.sender_type === "recruit" && last.heard === text.heard &&
      text.created_at.getTime() - turn.at.getTime() < TOGETHER_MS
    ) turn.texts.push(hide(body));
    else turns.push({ texts: [hide(body)], outcome: [], at: text.created_at });
    last = text;
  }
  return turns;
}

/** What takes the names out of a text that the service knows of the conversation. */
async function hiderOf(sql: postgres.Sql, { agency_id, lead_names }: Stored): Promise<(text: string) => string> {
  const [agency] = await sql<{ name: string; agents: { first_name: string; last_name: string | null }[] }[]>`
    select a.name, coalesce((
      select jsonb_agg(jsonb_build_object('first_name', g.first_name, 'last_name', g.last_name))
      from public.agents g where g.agency_id = a.id
    ), '[]') as agents
    from public.agencies a where a.id = ${agency_id}`;
  const [first, last, ...vendor] = lead_names;
  const names: Names = [
    [first ?? null, "Ada"],
    [last ?? null, "Reed"],
    ...vendor.map((name) => [name, "Acme"] as const),
    [agency!.name, "Lakeshore Insurance"],
    ...agency!.agents.flatMap(({ first_name, last_name }) => [[first_name, "Maria"], [last_name, "Alvarez"]] as const),
  ];
  return (text) => anonymous(text, names);
}
