import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Script, Step } from "../../supabase/functions/worker/bot/step.ts";
import { formatDifference, playAll, readConversations } from "../conversations/folder.ts";
import { answerLine } from "../conversations/format.ts";
import { Play, readConsents } from "../conversations/play.ts";
import { valueOf } from "../database.ts";
import { CommandError } from "../errors.ts";
import type { Outcome, Session } from "../session.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const EXAMPLE = join(ROOT, "docs/examples/bot_script.json");

/** The people of `bot try`. */
const NAMES = { first_name: "Ada", agent: "Maria Alvarez", agency: "Lakeshore Insurance" };

/** The words for how the bot read texts that are not answers. Other reasons are printed as they are. */
const READ: Partial<Record<string, string>> = {
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

/** How the texts of a turn were read: `years = 6`, or in words where they are no answer. */
function describeRead(taken: Step | undefined): string {
  if (taken === undefined) return "the bot's part is over: a person reads it";
  const { heard, answered = [], ended } = taken;
  if (answered.length > 0) {
    return answered.map(({ question, value }) => answerLine(question, value).slice(2).replace(": ", " = ")).join("; ");
  }
  const meaning = heard ?? ended?.reason;
  if (meaning === undefined) return "for a person";
  return READ[meaning] ?? `for a person: ${meaning.replaceAll("_", " ")}`;
}

/** Plays a conversation: shows how each turn was read, and the reply with its segments. Nothing is stored or sent. */
export async function tryScript({ sql, texts, say }: Session, script: Script): Promise<Outcome> {
  const turns: { recruit: string[]; read: string; bot: string | null; segments: number }[] = [];
  const play = new Play(script);
  let said: string[] = [];
  const take = async () => {
    const taken = play.take(said, await readConsents(sql, said));
    const read = describeRead(taken);
    for (const [i, body] of said.entries()) say(`> ${body}${i === said.length - 1 ? `  [${read}]` : ""}`);
    const bot = taken?.reply?.replace(/\{(\w+)\}/g, (_, name) => NAMES[name as keyof typeof NAMES]) ?? null;
    const segments = bot === null ? 0 : await valueOf<number>(sql`select private.text_segments(${bot})`);
    turns.push({ recruit: said, read, bot, segments });
    say(bot === null ? "(the bot says nothing)" : `${bot}  [${segments} segment${segments === 1 ? "" : "s"}]`);
    said = [];
  };
  for await (const line of texts()) {
    // One that ends so is read together with the next.
    said.push(line.replace(/ \+$/, ""));
    if (!/ \+$/.test(line)) await take();
  }
  if (said.length > 0) await take();
  const end = play.reason === undefined ? "The script is not over." : `The script is over: ${play.reason}.`;
  return { data: { turns, ended: play.reason ?? null }, text: end };
}

/** What came of each conversation, by its file and name. */
type Run = Record<string, string[][]>;

/**
 * Plays all conversations of a folder, and shows which differ from what must come, and from what came the last time.
 *
 * @param file the script of those whose file names none
 */
export async function tryConversations({ sql }: Session, folder: string, file = EXAMPLE): Promise<Outcome> {
  if (!existsSync(folder)) throw new CommandError(`There is no folder ${folder}`);
  const played = await playAll(sql, readKept(folder, file));
  const run: Run = {};
  for (const { file, conversation, came } of played) run[`${file}: ${conversation.name}`] = came;
  const store = join(ROOT, ".local/bot_try", `${encodeURIComponent(resolve(folder))}.json`);
  const last: Run | null = existsSync(store) ? JSON.parse(readFileSync(store, "utf8")) : null;
  mkdirSync(dirname(store), { recursive: true });
  writeFileSync(store, JSON.stringify(run));

  const differing = played.filter(({ isRight }) => !isRight);
  const isChanged = (name: string) => last?.[name] !== undefined && !isSame(last[name], run[name]!);
  const changed = Object.keys(run).filter(isChanged).map((name) => ({ name, before: last![name]!, now: run[name]! }));
  const count = `${played.length} conversations, ${differing.length} not as they must be, ${changed.length} changed`;
  const text = [
    ...differing.map(formatDifference),
    ...changed.map(({ name, before, now }) => `${name}\n  before: ${inWords(before)}\n  now:    ${inWords(now)}`),
    `${count} since the last run.`,
  ].join("\n\n");
  const differ = differing.map(({ file, conversation: { name }, came }) => ({ file, name, came }));
  return { data: { conversations: played.length, differing: differ, changed }, text, failed: differing.length > 0 };
}

function readKept(folder: string, file: string) {
  try {
    return readConversations(folder, file);
  } catch (error) {
    throw error instanceof SyntaxError || error instanceof RangeError ? new CommandError(error.message) : error;
  }
}

const isSame = (one: string[][], other: string[][]) => JSON.stringify(one) === JSON.stringify(other);

const inWords = (turns: string[][]) => turns.map((lines) => lines.join("; ") || "silence").join(" → ");
