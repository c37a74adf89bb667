/** The bot ends as its step says, with the notification of it; `step.test.ts` proves what it hears. */
import assert from "node:assert/strict";
import { createTalk, notifications, OPENING, say, SCRIPT, sent, stateOf } from "./bot_conversations.ts";

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

  const silent = await createTalk();
  await say(silent, "Hi");
  await say(silent, "I found another job");
  assert.deepEqual(sent(silent), [OPENING]);
  assert.equal((await stateOf(silent)).reason, "not_interested");
});

Deno.test("STOP ends the script, and a later START or YES is a person's", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await say(talk, "STOP");
  assert.partialDeepStrictEqual(await stateOf(talk), {
    status: "bot",
    state: "stopped",
    reason: "opted_out",
  });
  await say(talk, "yes");
  assert.deepEqual(sent(talk), [OPENING]);
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["opt_out", "text"]);
});

Deno.test("STOP as an answer is an opt-out, and the turn before it says nothing", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await say(talk, "yes", "stop");
  assert.deepEqual(sent(talk), [OPENING]);
  assert.partialDeepStrictEqual(await stateOf(talk), { state: "stopped", has_turn: false });
});
