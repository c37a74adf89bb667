import { Option } from "commander";
import type postgres from "postgres";
import {
  type RecruitText,
  type Script,
  type Session as BotSession,
  type Step,
  step,
} from "../../supabase/functions/worker/bot/step.ts";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findAgency } from "../find.ts";
import { AGENCY, choice, CSV, firstDay, lastDay, LIMIT, type Period, wrongPeriod } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { listAnswers } from "./bot_answers.ts";
import { showConversation } from "./bot_conversation.ts";
import { readJsonFile } from "./vendor_config.ts";

const STATES = ["active", "done", "escalated", "expired", "stopped"];

/** The people of `bot try`. */
const NAMES = { first_name: "Ada", agent: "Maria Alvarez", agency: "Lakeshore Insurance" };

export function addBot(program: AdminCommand): void {
  const about = "what the bot says to recruits; docs/bot.md has the members of a script";
  const bot = program.noun("bot", about);
  const ofAgency = (usage: string, description: string, example = "") =>
    bot.verb(usage, description, `${example} --agency "Prairie Life"`.trim()).needs(AGENCY);
  ofAgency("publish <file>", "what the bot of an agency says from now on", "script.json")
    .runs(publish);
  ofAgency("show", "the script that an agency has published").reads(show);
  ofAgency("off", "ends all that the bot has begun, until the next publish", "--yes")
    .runs(switchOff);
  ofAgency("sessions", "the conversations of the bot, the newest first", "--state active")
    .takes(choice("--state <state>", "only these", STATES), LIMIT)
    .runs(lists("bot_session_list", {
      order: "created_at desc, conversation_id",
      none: "The bot has no such conversation.",
      isOfPersons: true,
      shown: [
        "conversation_id",
        "recruit_phone",
        "name",
        "script",
        "state",
        "reason",
        "question",
        "asked_at",
        "answers",
      ],
    }));
  ofAgency(
    "answers",
    "what recruits have answered: a row for each, a column for each question",
    "--since 2026-01-31 --csv",
  )
    .takes(
      firstDay("--since <day>", "the first day of the latest answer, in the agency's time zone; also today, yesterday"),
      lastDay("--until <day>", "the last day of it"),
      new Option(
        "--drop-off",
        "how many recruits ended at which question and why; the days are those on which they began",
      ),
      CSV,
    )
    .refuses((given: Omit<Period, "timezone"> & { json?: boolean }) => wrongPeriod({ ...given, timezone: "UTC" }))
    .runs(listAnswers);
  const copy = "the bot's conversation with a recruit, for `bot try --conversations`";
  bot.verb("conversation <lead>", copy, "4711 --anonymous")
    .takes(
      new Option("--anonymous", "without names, numbers, e-mail addresses and URLs").makeOptionMandatory(),
    )
    .runs(showConversation);
  const play = "plays a script: each line of stdin is a recruit's text";
  bot.verb("try <file>", play, "script.json").reads(tryScript);
}

/** @throws {CommandError} with every problem of the script */
async function readScript(sql: postgres.Sql, file: string): Promise<postgres.JSONValue> {
  const script = readJsonFile(file) as postgres.JSONValue;
  const problems = await valueOf<string[]>(sql`
    select private.bot_script_problems(${sql.json(script)})`);
  if (problems.length === 0) return script;
  throw new CommandError(`${file} is no script that the bot could follow:\n${problems.join("\n")}`);
}

async function publish(
  { sql, act }: Session,
  file: string,
  { agency }: { agency: string },
): Promise<Outcome> {
  const { id, name } = await findAgency(sql, agency);
  const script = await readScript(sql, file);
  const published = await act(
    (transaction) =>
      valueOf<{ id: string; version: number }>(transaction`
        select private.store_bot_script(${id}, ${sql.json(script)})`),
    ({ id: script_id }) => ({ agency_id: id, script_id }),
  );
  return {
    data: published,
    text: `Published version ${published.version} for ${name}, for conversations that begin now.`,
  };
}

async function show({ sql }: Session, { agency }: { agency: string }): Promise<Outcome> {
  const { id, name } = await findAgency(sql, agency);
  const [newest] = await sql`select * from private.newest_bot_script(${id}) where id is not null`;
  if (newest === undefined || newest.script === null) {
    const state = newest === undefined ? "has published no script" : "has switched its bot off";
    return {
      data: newest ?? null,
      text: `${name} ${state}: npm run admin -- bot publish <file> --agency "${name}"`,
    };
  }
  const at = newest.published_at.toISOString();
  return {
    data: newest,
    text: `Version ${newest.version}, ${at}\n\n${JSON.stringify(newest.script, null, 2)}`,
  };
}

async function switchOff(
  { sql, confirm, act }: Session,
  { agency }: { agency: string },
): Promise<Outcome> {
  const { id, name } = await findAgency(sql, agency);
  await confirm(`Switch the bot of ${name} off? What it has begun ends.`);
  const stopped = await act(
    (transaction) => valueOf<number>(transaction`select private.switch_bot_off(${id})`),
    { agency_id: id },
  );
  return {
    data: { stopped },
    text: `The bot of ${name} is off. Conversations that it had begun: ${stopped}.`,
  };
}

/** The words for a recruit's text that is no answer; for any other, those of the reason for which a person reads it. */
const READ: Partial<Record<NonNullable<Step["heard"]>, string>> = {
  opening: "begins, and is no answer",
  help: "HELP, which the provider answers",
  person: "wants a person",
  not_interested: "is not interested",
  about: "asks about us",
  question: "asks back",
  opted_out: "wants no more texts",
  may_opt_out: "for a person: may want no more texts",
  automatic_reply: "is an automatic reply",
  no_answer: "is no answer",
  early: "came before the question had left",
};

/** The reading of a text: `years = 6`, or its words where it is no answer. */
function describeRead({ heard, answered = [] }: Step): string {
  if (answered.length === 0) {
    return heard === undefined ? "" : READ[heard] ?? `for a person: ${heard.replaceAll("_", " ")}`;
  }
  return answered.map(({ question, value }) =>
    `${question} = ${Array.isArray(value) ? value.join(", ") || "none" : value}`
  ).join("; ");
}

/** Plays a conversation: shows how each text was read, and the reply with its segments. Nothing is stored or sent. */
async function tryScript({ sql, texts, say }: Session, file: string): Promise<Outcome> {
  const script = await readScript(sql, file) as unknown as Script;
  const turns: { recruit: string; read: string; bot: string | null; segments: number }[] = [];
  let session: BotSession | null = null;
  let reason: string | undefined;
  for await (const body of texts()) {
    const consent = await valueOf<RecruitText["consent"] | null>(sql`
      select coalesce(
        (select c.state from private.consent_in_text(${body}, null) c where c.state = 'opted_out'),
        private.wish_to_end(private.visible_text(${body})))`);
    const taken: Step = step(script, session, [{ body, ...(consent && { consent }) }], new Date());
    const { reply, session: next, ended } = taken;
    const read = describeRead(taken);
    say(`> ${body}  [${read}]`);
    const bot = reply?.replace(/\{(\w+)\}/g, (_, name) => NAMES[name as keyof typeof NAMES]) ??
      null;
    const segments = await valueOf<number>(sql`select private.text_segments(${bot ?? ""})`);
    turns.push({ recruit: body, read, bot, segments: bot === null ? 0 : segments });
    say(
      bot === null ? "(the bot says nothing)" : `${bot}  [${segments} segment${segments === 1 ? "" : "s"}]`,
    );
    [session, reason] = [next, ended?.reason];
    if (ended !== undefined) break;
  }
  const end = reason === undefined ? "The script is not over." : `The script is over: ${reason}.`;
  return { data: { turns, ended: reason ?? null }, text: end };
}
