/** The bot's turns: the texts that recruits get, against a double of Twilio. */
import assert from "node:assert/strict";
import { adminJson } from "../support/admin.ts";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { work } from "./texts.ts";
import {
  claimTurn,
  createTalk,
  DONE,
  notifications,
  OPENING,
  say,
  SCRIPT,
  sent,
  stateOf,
  takeTurn,
} from "./bot_conversations.ts";
import { fileURLToPath } from "node:url";
import { type Kept, playAll, readConversations } from "../../admin/conversations/folder.ts";
import { answerLine, replyLine } from "../../admin/conversations/format.ts";
import { turnsOf } from "../../admin/conversations/play.ts";

Deno.test("a script asks its questions, stores the answers and hands over to the lead's agent", async () => {
  const talk = await createTalk();
  await say(talk, "Hello");
  assert.deepEqual(sent(talk), [OPENING]);
  // A conversation keeps the script that it began with.
  const questions = [{ id: "other", ask: "Something else?", answer: "text" as const }];
  await sql`select private.store_bot_script(${talk.agency_id}, ${sql.json({ ...SCRIPT, questions } as never)})`;
  await say(talk, "yep");
  await say(talk, "TX and Ok");
  assert.deepEqual(sent(talk), [OPENING, "In which states?", DONE]);
  assert.partialDeepStrictEqual(await stateOf(talk), {
    status: "escalated",
    state: "done",
    reason: "done",
    answers: { licensed: "yes", states: ["OK", "TX"] },
    has_turn: false,
  });
  assert.deepEqual(await notifications(talk), [{
    agent_id: talk.agent.agent_id,
    kind: "handoff",
    reason: "done",
  }]);
  const { timeline } = await adminJson(`lead show ${talk.lead_id}`);
  assert.deepEqual(
    timeline.filter(({ event }: { event: string }) => event === "answer").map((
      { detail }: { detail: string },
    ) => detail),
    ["licensed: yes (yep)", 'states: ["OK", "TX"] (TX and Ok)'],
  );
  const { data } = await talk.agent.client.from("screening_answers").select("question, value, said")
    .eq("lead_id", talk.lead_id).order("question");
  assert.deepEqual(data, [
    { question: "licensed", value: "yes", said: "yep" },
    { question: "states", value: ["OK", "TX"], said: "TX and Ok" },
  ]);
});

Deno.test("several texts in a few seconds get one reply, to all of them, also to one that comes in the turn", async () => {
  const talk = await createTalk();
  await say(talk, "Hi", "I saw your ad", "I am Ada", "and", "still looking");
  assert.deepEqual(sent(talk), [OPENING]);
  await receive(talk, { Body: "well" });
  const [due] = await sql`
    select due_at between now() + interval '5 seconds' and now() + interval '8 seconds' as is_soon
    from public.bot_turns where conversation_id = ${talk.id}`;
  assert.equal(due!.is_soon, true);
  await work();
  assert.deepEqual(sent(talk), [OPENING], "not before its time");

  await sql`update public.bot_turns set due_at = now() where conversation_id = ${talk.id}`;
  const turn = await claimTurn(talk);
  await receive(talk, { Body: "Yes" });
  const [completed] = await sql`
    select public.complete_bot_turn(${talk.id}, ${turn.attempt}, ${turn.version}, ${turn.script_id}, 1,
      ${sql.json({ reply: "YES or NO?", session: turn.session })}) as result`;
  assert.equal(completed!.result, "again");
  await takeTurn(talk);
  const [{ tries }] = await sql<[{ tries: number }]>`
    select tries from public.bot_sessions where conversation_id = ${talk.id}`;
  assert.deepEqual([sent(talk), tries], [[OPENING, "In which states?"], 0]);
});

Deno.test("an agent writes during a turn: the bot is silent until the conversation is handed back", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await receive(talk, { Body: "yes" });
  const text = {
    conversation_id: talk.id,
    body: "I am Nora.",
    client_message_id: crypto.randomUUID(),
  };
  assert.equal((await talk.agent.client.rpc("send_text", text)).error, null);
  await takeTurn(talk);
  assert.deepEqual(sent(talk), [OPENING, "I am Nora."]);
  assert.partialDeepStrictEqual(await stateOf(talk), {
    state: "stopped",
    reason: "taken_over",
    has_turn: false,
  });

  await talk.agent.client.rpc("hand_back_to_bot", { conversation_id: talk.id });
  await say(talk, "are you there");
  await say(talk, "yep");
  assert.deepEqual(sent(talk).slice(2), ["Do you hold a license?", "In which states?"]);
});

Deno.test("an answering machine is not answered twice", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await say(talk, "maybe later");
  await say(talk, "maybe later");
  assert.deepEqual(sent(talk), [OPENING, "YES or NO?"]);
  assert.partialDeepStrictEqual(await stateOf(talk), {
    status: "escalated",
    reason: "automatic_reply",
  });
});

Deno.test("who is not interested ends the script, gets one courteous text, and the agent is notified", async () => {
  const talk = await createTalk({ ...SCRIPT, not_interested: "All the best, {first_name}." });
  await say(talk, "Hi");
  await say(talk, "I’m no longer interested");
  assert.deepEqual(sent(talk), [OPENING, "All the best, Ada."]);
  assert.partialDeepStrictEqual(await stateOf(talk), { status: "bot", state: "done", reason: "not_interested" });
  assert.deepEqual(await notifications(talk), [
    { agent_id: talk.agent.agent_id, kind: "handoff", reason: "not_interested" },
  ]);
  const { data } = await talk.agent.client.from("screening_answers").select("question").eq("lead_id", talk.lead_id);
  assert.deepEqual(data, [], "it is no answer");
  await say(talk, "Thanks");
  assert.equal(sent(talk).length, 2);
});

Deno.test("STOP beside an answer ends the script, and a later START or YES is a person's", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await say(talk, "yes", "stop");
  assert.partialDeepStrictEqual(await stateOf(talk), {
    status: "bot",
    state: "stopped",
    reason: "opted_out",
    has_turn: false,
  });
  await say(talk, "yes");
  assert.deepEqual(sent(talk), [OPENING]);
  const kinds = (await notifications(talk)).map(({ kind }) => kind);
  assert.deepEqual(kinds.sort(), ["opt_out", "text", "text"]);
});

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
