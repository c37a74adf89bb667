/** A folder of conversations: its files, their scripts, and what comes of playing them all. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type postgres from "postgres";
import type { Script } from "../../supabase/functions/worker/bot/step.ts";
import { type Conversation, formatConversation, isOutcome, parseConversations } from "./format.ts";
import { playConversation, readConsents, turnsOf } from "./play.ts";

export interface Kept {
  file: string;
  conversation: Conversation;
  script: Script;
}

/** A conversation that was played. */
export interface Played extends Kept {
  /** The outcome of each turn. */
  came: string[][];
  /** Whether each is what must come. */
  isRight: boolean;
}

/**
 * Reads the conversations of a folder, each with the script that its file names, else `script.json`, else the one given.
 *
 * @throws {SyntaxError} naming the file and the line that is none of a conversation, or the file that is missing
 */
export function readConversations(folder: string, otherwise: string): Kept[] {
  const scripts = new Map<string, Script>();
  const scriptOf = (path: string) => {
    if (!scripts.has(path)) scripts.set(path, JSON.parse(readFileSync(path, "utf8")));
    return scripts.get(path)!;
  };
  const ofFolder = join(folder, "script.json");
  return readdirSync(folder).filter((file) => file.endsWith(".txt")).toSorted().flatMap((file) => {
    try {
      const { script, conversations } = parseConversations(readFileSync(join(folder, file), "utf8"));
      const path = script === undefined ? existsSync(ofFolder) ? ofFolder : otherwise : join(folder, script);
      return conversations.map((conversation) => ({ file, conversation, script: scriptOf(path) }));
    } catch (error) {
      throw error instanceof SyntaxError ? new SyntaxError(`${file}: ${error.message}`) : error;
    }
  });
}

/** Plays all of them; the database says which texts are an opt-out. */
export async function playAll(sql: postgres.Sql, all: Kept[]): Promise<Played[]> {
  const bodies = all.flatMap(({ script, conversation }) => Object.values(turnsOf(script, conversation)).flat(2));
  const consentOf = await readConsents(sql, bodies);
  return all.map((kept) => {
    const came = playConversation(kept.script, kept.conversation, consentOf);
    const isRight = kept.conversation.turns.every(({ outcome }, i) => isOutcome(outcome, came[i]!));
    return { ...kept, came, isRight };
  });
}

/** A conversation that differs, as in its file: what came, and beside each turn that differs what must come. */
export function formatDifference({ file, conversation, came }: Played): string {
  const turns = conversation.turns.map(({ texts, outcome }, i) => ({
    texts,
    outcome: isOutcome(outcome, came[i]!)
      ? outcome
      : [`must come: ${outcome.join("; ") || "silence"}`, `came:      ${came[i]!.join("; ") || "silence"}`],
  }));
  return `${file}: ${formatConversation({ ...conversation, turns })}`;
}
