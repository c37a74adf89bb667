/** The texts of a recruit that are no answer to the bot's question: a person asked for, no interest, a stop. */
import assert from "node:assert/strict";
import { createTalk, notifications, OPENING, say, SCRIPT, sent, stateOf } from "./bot_conversations.ts";

Deno.test("an attempt at an answer is asked for once more, and then a person is notified in silence", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await say(talk, "no problem, yes");
  await say(talk, "hmm");
  assert.deepEqual(sent(talk), [OPENING, "YES or NO?"]);
  assert.partialDeepStrictEqual(await stateOf(talk), {
    status: "escalated",
    reason: "not_understood",
  });
  assert.equal((await notifications(talk))[0]!.reason, "not_understood");
});

Deno.test("who asks for a person is heard at once, and who asks back after the opening", async () => {
  for (
    const { texts, reason } of [
      { texts: ["Please give me a call"], reason: "asked" },
      { texts: ["Hi", "Is this remote?"], reason: "question" },
    ]
  ) {
    const talk = await createTalk();
    for (const text of texts) await say(talk, text);
    assert.deepEqual(sent(talk), [...texts.slice(1).map(() => OPENING), "A person will write to you."]);
    assert.partialDeepStrictEqual(await stateOf(talk), {
      status: "escalated",
      state: "escalated",
      reason,
    });
  }
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

  const silent = await createTalk();
  await say(silent, "Hi");
  await say(silent, "I found another job");
  assert.deepEqual(sent(silent), [OPENING]);
  assert.equal((await stateOf(silent)).reason, "not_interested");
});

Deno.test("who asks what it is about is told so once, then a person goes on", async () => {
  const talk = await createTalk({ ...SCRIPT, about: "{agency} looks for agents." });
  await say(talk, "Hi");
  await say(talk, "who is this");
  await say(talk, "yes");
  await say(talk, "how much does it pay");
  assert.deepEqual(sent(talk), [
    OPENING,
    "Prairie Life looks for agents. Do you hold a license?",
    "In which states?",
    "A person will write to you.",
  ]);
  assert.partialDeepStrictEqual(await stateOf(talk), { status: "escalated", reason: "question" });

  const without = await createTalk();
  await say(without, "Hi");
  await say(without, "Who is this?");
  assert.deepEqual(sent(without), [OPENING, "A person will write to you."]);
});

Deno.test("a first text that asks gets the opening, with what the script says about itself", async () => {
  const talk = await createTalk({ ...SCRIPT, about: "{agency} looks for agents." });
  await say(talk, "Who is this?");
  await say(talk, "and what does it pay?");
  assert.deepEqual(sent(talk), [
    "Hi Ada, this is Prairie Life. Reply STOP to end. Prairie Life looks for agents. Do you hold a license?",
    "A person will write to you.",
  ]);
  const without = await createTalk();
  await say(without, "Who is this?");
  assert.deepEqual(sent(without), [OPENING]);
});

Deno.test("HELP gets no text and costs no try, before the opening and after it", async () => {
  const talk = await createTalk();
  await say(talk, "HELP");
  assert.partialDeepStrictEqual(await stateOf(talk), { status: "bot", state: null, has_turn: false });
  await say(talk, "Hi");
  await say(talk, "maybe");
  await say(talk, "Help");
  await say(talk, "I have been an agent for 5 years");
  assert.deepEqual(sent(talk), [OPENING, "YES or NO?"]);
  assert.partialDeepStrictEqual(await stateOf(talk), { reason: "not_understood" });
  const counted = await createTalk();
  for (const text of ["Hi", "HELP", "maybe", "yes"]) await say(counted, text);
  assert.deepEqual(sent(counted), [OPENING, "YES or NO?", "In which states?"]);
});

Deno.test("what concerns a person is read by one, with its reason, and nothing is sent", async () => {
  for (
    const [text, reason] of [
      ["my husband passed away last week", "bereavement"],
      ["not now", "may_opt_out"],
      ["I don't want to live anymore", "distress"],
      ["asdf", "not_understood"],
    ] as const
  ) {
    const talk = await createTalk();
    await say(talk, "Hi");
    await say(talk, text);
    assert.deepEqual(sent(talk), [OPENING], text);
    assert.partialDeepStrictEqual(await stateOf(talk), { status: "escalated", state: "escalated", reason });
    assert.deepEqual(await notifications(talk), [{ agent_id: talk.agent.agent_id, kind: "handoff", reason }]);
  }
});

Deno.test("two answers in a text are stored, and a correction changes the last one", async () => {
  const SCRIPT_OF_THREE = {
    ...SCRIPT,
    questions: [...SCRIPT.questions, { id: "since", ask: "Since when?", answer: "text" as const }],
  };
  const talk = await createTalk(SCRIPT_OF_THREE);
  await say(talk, "Hi");
  await say(talk, "Yes, TX and OK");
  await say(talk, "oops IL");
  assert.deepEqual(sent(talk).slice(0, 3), [OPENING, "Since when?", "Since when?"]);
  const { data } = await talk.agent.client.from("screening_answers").select("question, value, said")
    .eq("lead_id", talk.lead_id).order("question");
  assert.deepEqual(data, [
    { question: "licensed", value: "yes", said: "Yes, TX and OK" },
    { question: "states", value: ["IL"], said: "oops IL" },
  ]);
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes", states: ["IL"] });
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

Deno.test("who goes on writing after a hand-over is heard by the person, and what is answered is filled in in silence", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await say(talk, "Is this remote?");
  await say(talk, "yes");
  await say(talk, "I am licensed in TX");
  assert.deepEqual(sent(talk), [OPENING, "A person will write to you."]);
  assert.partialDeepStrictEqual(await stateOf(talk), { status: "escalated", state: "escalated", reason: "question" });
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["handoff", "text", "text"]);
  const answers = async () => {
    const { data } = await talk.agent.client.from("screening_answers").select("question, value, said")
      .eq("lead_id", talk.lead_id).order("question");
    return data!;
  };
  const said = "I am licensed in TX";
  const filledIn = [{ question: "licensed", value: "yes", said }, { question: "states", value: ["TX"], said }];
  assert.deepEqual(await answers(), filledIn);

  await talk.agent.client.rpc("send_text", {
    ...{ conversation_id: talk.id, body: "Are you licensed in OK too?", client_message_id: crypto.randomUUID() },
  });
  await say(talk, "oops, I am licensed in OK");
  assert.deepEqual(await answers(), filledIn, "a person reads what answers a person");
});
