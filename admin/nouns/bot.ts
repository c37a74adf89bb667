import { Option } from "commander";
import type postgres from "postgres";
import type { Script } from "../../supabase/functions/worker/bot/step.ts";
import type { AdminCommand } from "../command.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import { findAgency } from "../find.ts";
import { AGENCY, choice, CSV, firstDay, lastDay, LIMIT, option, type Period, wrongPeriod } from "../options.ts";
import { lists } from "../lists.ts";
import type { Outcome, Session } from "../session.ts";
import { listAnswers } from "./bot_answers.ts";
import { showConversation } from "./bot_conversation.ts";
import { tryConversations, tryScript } from "./bot_try.ts";
import { readJsonFile } from "./vendor_config.ts";

const STATES = ["active", "done", "escalated", "expired", "stopped"];

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
  const play = "plays a script: each line of stdin is a recruit's text, and one that ends with ` +` goes with the next";
  bot.verb("try [file]", play, "script.json")
    .takes(
      option(
        "--conversations <folder>",
        "plays the kept conversations of this folder instead",
        "a folder",
        (given) => given,
      ),
    )
    .refuses((file: string | undefined, { conversations }: { conversations?: string }) =>
      file === undefined && conversations === undefined && "give a script, or --conversations"
    )
    .reads(tryIt);
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
    (transaction) => valueOf<number>(transaction`select private.end_bot(${id})`),
    { agency_id: id },
  );
  return {
    data: { stopped },
    text: `The bot of ${name} is off. Conversations that it had begun: ${stopped}.`,
  };
}

async function tryIt(
  session: Session,
  file: string | undefined,
  { conversations }: { conversations?: string },
): Promise<Outcome> {
  const script = file === undefined ? undefined : await readScript(session.sql, file);
  if (conversations !== undefined) return await tryConversations(session, conversations, file);
  return await tryScript(session, script as unknown as Script);
}
