/** A sample of the kept conversations comes from the worker as `bot try` plays it. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { type Kept, playAll, readConversations } from "../../admin/conversations/folder.ts";
import { answerLine, replyLine } from "../../admin/conversations/format.ts";
import { turnsOf } from "../../admin/conversations/play.ts";
import { sql } from "../support/client.ts";
import { createTalk, say, sent, stateOf } from "./bot_conversations.ts";

const path = (below: string) => fileURLToPath(new URL(`../../${below}`, import.meta.url));
const KEPT = readConversations(
  path("supabase/functions/worker/bot/conversations"),
  path("docs/examples/bot_script.json"),
);
/** One of so many is played by the worker. */
const ONE_OF = 67;

/** Why the bot's part has ended, or that a recruit whom a person has wants no more texts. */
const endOf = ({ reason, is_opted_out }: Awaited<ReturnType<typeof stateOf>>) => is_opted_out ? "opted_out" : reason;

/** The outcome of each turn, by what a page and the recruit's phone would show. */
async function playLive({ script, conversation }: Kept): Promise<string[][]> {
  const talk = await createTalk(script);
  const { before, after } = turnsOf(script, conversation);
  for (const texts of before) await say(talk, ...texts);
  const came: string[][] = [];
  let [earlier, texts] = [await stateOf(talk), sent(talk).length];
  for (const bodies of after) {
    await say(talk, ...bodies);
    const [state, said] = [await stateOf(talk), sent(talk)];
    const answers = Object.entries<string>(state.answers ?? {}).filter(([id, value]) =>
      String(earlier.answers?.[id]) !== String(value)
    );
    came.push([
      ...answers.map(([id, value]) => answerLine(id, value)),
      ...said.slice(texts).map((text) => replyLine(script, text)),
      ...(endOf(state) === endOf(earlier) || endOf(state) === "done" ? [] : [`! ${endOf(state)}`]),
    ]);
    [earlier, texts] = [state, said.length];
  }
  return came;
}

Deno.test("the worker takes kept conversations as `bot try` plays them", async () => {
  const sample = KEPT.filter((_, i) => i % ONE_OF === 0);
  for (const { came, ...kept } of await playAll(sql, sample)) {
    const live = await playLive(kept);
    const sorted = (turns: string[][]) => turns.map((lines) => lines.toSorted());
    assert.deepEqual(sorted(live), sorted(came), `${kept.file}: ${kept.conversation.name}`);
  }
});
