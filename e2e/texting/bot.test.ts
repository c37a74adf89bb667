/** The bot's turns: the texts that recruits get, against a double of Twilio. */
import assert from "node:assert/strict";
import { adminJson } from "../support/admin.ts";
import { signInNewAgent } from "../support/agents.ts";
import { eventually } from "../support/processes.ts";
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

Deno.test("a script asks its questions, stores the answers and hands over to the lead's agent", async () => {
  const talk = await createTalk();
  await say(talk, "Hello");
  assert.deepEqual(sent(talk), [OPENING]);
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

Deno.test("several texts in a few seconds get one reply, to all of them", async () => {
  const talk = await createTalk();
  await say(talk, "Hi", "I saw your ad", "I am Ada", "and", "still looking");
  assert.deepEqual(sent(talk), [OPENING]);
  await receive(talk, { Body: "yes" });
  const [turn] = await sql`
    select due_at between now() + interval '5 seconds' and now() + interval '8 seconds' as is_soon
    from public.bot_turns where conversation_id = ${talk.id}`;
  assert.equal(turn!.is_soon, true);
  await work();
  assert.deepEqual(sent(talk), [OPENING], "not before its time");
  // The tests after this one have it behind them.
  await takeTurn(talk);
});

Deno.test("a text between claim and commit: one reply, to both", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await receive(talk, { Body: "well" });
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
  assert.deepEqual([sent(talk).length, tries], [2, 0]);
  assert.equal(sent(talk)[1], "In which states?");
});

Deno.test("race: of many workers one takes a turn", async () => {
  const talk = await createTalk();
  await receive(talk, { Body: "Hi" });
  await sql`update public.bot_turns set due_at = now() where conversation_id = ${talk.id}`;
  await Promise.all(Array.from({ length: 6 }, () => work()));
  await work();
  assert.deepEqual(sent(talk), [OPENING]);
});

Deno.test("a worker that dies between claim and commit: the turn again, and one reply", async () => {
  const talk = await createTalk();
  await receive(talk, { Body: "Hi" });
  await sql`update public.bot_turns set due_at = now() where conversation_id = ${talk.id}`;
  const turn = await claimTurn(talk);
  await work();
  assert.deepEqual(sent(talk), [], "it belongs to the dead worker for a minute");
  await sql`update public.bot_turns set lease_until = now() where conversation_id = ${talk.id}`;
  await work();
  assert.deepEqual(sent(talk), [OPENING]);
  const [late] = await sql`
    select public.complete_bot_turn(${talk.id}, ${turn.attempt}, ${turn.version}, ${turn.script_id}, 1,
      ${sql.json({ reply: "late", session: null })}) as result`;
  assert.equal(late!.result, "dropped");
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

Deno.test("a conversation keeps the script that it began with", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  const other = {
    ...SCRIPT,
    questions: [{ id: "other", ask: "Something else?", answer: "text" as const }],
  };
  await sql`select private.store_bot_script(${talk.agency_id}, ${sql.json(other as never)})`;
  await say(talk, "yes");
  assert.equal(sent(talk).at(-1), "In which states?");
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

Deno.test("nobody writes into silence: without a script the lead's agent is notified, else the managers", async () => {
  const talk = await createTalk(null);
  const manager = await signInNewAgent(talk.agency_id, "manager");
  await say(talk, "Hi");
  assert.deepEqual(sent(talk), []);
  assert.deepEqual(await notifications(talk), [{
    agent_id: talk.agent.agent_id,
    kind: "text",
    reason: null,
  }]);
  assert.equal((await stateOf(talk)).status, "bot");
  await sql`update public.agents set is_active = false where id = ${talk.agent.agent_id}`;
  await say(talk, "Anybody?");
  await eventually(
    5,
    async () =>
      assert.deepEqual((await notifications(talk)).map(({ agent_id }) => agent_id), [
        talk.agent.agent_id,
        manager.agent_id,
      ]),
  );
});

Deno.test("the bot is switched off: what it has begun ends, and people are notified of texts", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await sql`select private.end_bot(${talk.agency_id})`;
  await say(talk, "yes");
  assert.deepEqual(sent(talk), [OPENING]);
  assert.partialDeepStrictEqual(await stateOf(talk), { state: "stopped", reason: "switched_off" });
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["text"]);
});

Deno.test("a recruit who writes more than 20 texts in a turn gets a person, and others get their answers", async () => {
  const [flood, other] = [await createTalk(), await createTalk()];
  await say(flood, "Hi");
  for (let n = 0; n < 25; n++) await receive(flood, { Body: "ok" });
  await say(other, "Hi");
  assert.deepEqual(sent(other), [OPENING]);
  await takeTurn(flood);
  assert.deepEqual(sent(flood), [OPENING]);
  assert.partialDeepStrictEqual(await stateOf(flood), { status: "escalated", reason: "not_understood" });
});
