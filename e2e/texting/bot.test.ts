/** The bot's turns: what recruits are sent, against a double of Twilio. */
import assert from "node:assert/strict";
import { adminJson } from "../support/admin.ts";
import { signInNewAgent } from "../support/agents.ts";
import { createAgency, createVendor, sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { newPhone, receive } from "../support/sms.ts";
import type { Script } from "../../supabase/functions/texting/bot/step.ts";
import { double, work } from "./texts.ts";

const STATE = "XB";
const AREA_CODE = "997";
const SCRIPT: Script = {
  opening: "Hi {first_name}, this is {agency}. Reply STOP to end.",
  questions: [
    { id: "licensed", ask: "Do you hold a license?", answer: "yes_no", retry: "YES or NO?" },
    { id: "states", ask: "In which states?", answer: "states" },
  ],
  done: "Thank you. {agent} will write to you.",
  handoff: "A person will write to you.",
  handoff_words: ["agent"],
  remind_after: "20h",
};
const OPENING = "Hi Ada, this is Prairie Life. Reply STOP to end. Do you hold a license?";
const DONE = "Thank you. Nora Quist will write to you.";

Deno.test.beforeAll(async () => {
  await sql`
    insert into public.area_codes (area_code, state, country, timezones, source)
    values (${AREA_CODE}, ${STATE}, 'US', ${["UTC"]}, 'a test')`;
  await setHours("00:00", "24:00");
});
Deno.test.afterAll(async () => {
  await sql`delete from public.texting_hours where state = ${STATE}`;
  await sql`delete from public.area_codes where area_code = ${AREA_CODE}`;
});

async function setHours(opens: string, closes: string): Promise<void> {
  await sql`
    insert into public.texting_hours (state, opens, closes, source) values (${STATE}, ${opens}, ${closes}, 'a test')
    on conflict (state, day_of_week) do update set opens = excluded.opens, closes = excluded.closes`;
}

interface Talk {
  id: string;
  agency_id: string;
  lead_id: string;
  recruit: string;
  service: string;
  agent: Awaited<ReturnType<typeof signInNewAgent>>;
}

/** A conversation that the bot has, of a lead whose agent is signed in. */
async function createTalk(script: Script | null = SCRIPT): Promise<Talk> {
  const { id: agency_id } = await createAgency(0);
  await sql`update public.agencies set name = 'Prairie Life' where id = ${agency_id}`;
  const agent = await signInNewAgent(agency_id);
  const [recruit, service] = [newPhone().replace("+1312", `+1${AREA_CODE}`), newPhone()];
  await sql`
    insert into public.service_numbers (phone, agency_id, segments_per_second)
    values (${service}, ${agency_id}, 10000)`;
  if (script !== null) {
    await sql`select private.store_bot_script(${agency_id}, ${sql.json(script as never)})`;
  }
  const { id: vendor_id } = await createVendor();
  const [lead] = await sql`
    insert into public.recruiting_leads
      (vendor_id, first_name, vendor_metadata, distribution, agency_id, agent_id, distributed_at)
    values (${vendor_id}, 'Ada', ${sql.json({ phone: recruit })}, 'distributed', ${agency_id}, ${agent.agent_id}, now())
    returning id`;
  const [row] = await sql`
    insert into public.recruiting_conversations (recruiting_lead_id, agency_id, recruit_phone, service_phone)
    values (${lead!.id}, ${agency_id}, ${recruit}, ${service}) returning id`;
  return { id: row!.id, agency_id, lead_id: lead!.id, recruit, service, agent };
}

/** The recruit writes, 8 seconds pass, and the worker works. */
async function say(talk: Talk, ...texts: string[]): Promise<void> {
  for (const Body of texts) await receive(talk, { Body });
  await takeTurn(talk);
}

async function takeTurn({ id }: Talk): Promise<void> {
  await sql`update public.bot_turns set due_at = now() where conversation_id = ${id}`;
  await work();
}

/** Claims the turns that are due, and reads this one. */
async function claimTurn({ id }: Talk) {
  const [claimed] = await sql`
    select t -> 'attempt' as attempt from jsonb_array_elements(public.claim_bot_turns(10)) t
    where t ->> 'conversation_id' = ${id}`;
  const [read] = await sql`select public.read_bot_turn(${id}, ${claimed!.attempt}) as turn`;
  return { attempt: claimed!.attempt, ...read!.turn };
}

const sent = ({ recruit }: Talk) => double.sentTo(recruit).map(({ body }) => body);

async function stateOf({ id }: Talk) {
  const [row] = await sql`
    select c.status, c.waiting_since, s.state, s.reason, s.question, s.answers, exists (
      select from public.bot_turns t where t.conversation_id = c.id
    ) as has_turn
    from public.recruiting_conversations c left join public.bot_sessions s on s.conversation_id = c.id
    where c.id = ${id}`;
  return row!;
}

async function notifications({ id }: Talk) {
  const rows = await sql<{ agent_id: string; kind: string; reason: string | null }[]>`
    select agent_id, kind, reason from public.agent_notifications where conversation_id = ${id} order by created_at`;
  return Array.from(rows, (row) => ({ ...row }));
}

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

Deno.test("what is no answer is asked once more, and then a person is told", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await say(talk, "no problem, yes");
  await say(talk, "hmm");
  assert.deepEqual(sent(talk), [OPENING, "YES or NO?", "A person will write to you."]);
  assert.partialDeepStrictEqual(await stateOf(talk), {
    status: "escalated",
    reason: "not_understood",
  });
  assert.equal((await notifications(talk))[0]!.reason, "not_understood");
});

Deno.test("who asks for a person is heard at once, and who asks back after the opening", async () => {
  for (const texts of [["Please give me a call"], ["Hi", "Is this remote?"]]) {
    const talk = await createTalk();
    for (const text of texts) await say(talk, text);
    assert.deepEqual(sent(talk), [...texts.slice(1).map(() => OPENING), "A person will write to you."]);
    assert.partialDeepStrictEqual(await stateOf(talk), {
      status: "escalated",
      state: "escalated",
      reason: "asked",
    });
  }
});

Deno.test("who is not interested ends the script, gets one courteous text, and the agent is told", async () => {
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
  assert.partialDeepStrictEqual(await stateOf(talk), { status: "escalated", reason: "asked" });

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
  await say(talk, "hmm");
  await say(talk, "Help");
  await say(talk, "I have been an agent for 5 years");
  assert.deepEqual(sent(talk), [OPENING, "YES or NO?", "A person will write to you."]);
  assert.partialDeepStrictEqual(await stateOf(talk), { reason: "not_understood" });
  const counted = await createTalk();
  for (const text of ["Hi", "HELP", "hmm", "yes"]) await say(counted, text);
  assert.deepEqual(sent(counted), [OPENING, "YES or NO?", "In which states?"]);
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

Deno.test("a reply of the bot that waits is refused once an agent writes", async () => {
  const talk = await createTalk();
  await sql`update public.service_numbers set status = 'paused', paused_reason = 'test' where phone = ${talk.service}`;
  await say(talk, "Hi");
  const text = {
    conversation_id: talk.id,
    body: "I am Nora.",
    client_message_id: crypto.randomUUID(),
  };
  await talk.agent.client.rpc("send_text", text);
  await sql`update public.service_numbers set status = 'active', paused_reason = null where phone = ${talk.service}`;
  await work();
  assert.deepEqual(sent(talk), ["I am Nora."]);
  const [refused] = await sql`
    select state, reason from public.text_outbox where conversation_id = ${talk.id} and kind = 'bot'`;
  assert.deepEqual({ ...refused }, { state: "refused", reason: "taken_over" });
});

Deno.test("quiet hours hold a question, which is worked out anew when they end", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await setHours("00:00", "00:00");
  try {
    await say(talk, "well");
    await say(talk, "yes");
    assert.deepEqual(sent(talk), [OPENING]);
    const [turn] = await sql`select due_at > now() as waits from public.bot_turns where conversation_id = ${talk.id}`;
    assert.equal(turn!.waits, true);
  } finally {
    await setHours("00:00", "24:00");
  }
  await takeTurn(talk);
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
});

Deno.test("quiet hours hold no handing over: the agent is told at once", async () => {
  const talk = await createTalk();
  await setHours("00:00", "00:00");
  try {
    await say(talk, "I want an agent");
    assert.deepEqual(sent(talk), []);
    assert.deepEqual((await notifications(talk)).map(({ reason }) => reason), ["asked"]);
  } finally {
    await setHours("00:00", "24:00");
  }
});

Deno.test("one reminder, then the script expires; an answer before that counts", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  const pass = (column: string) =>
    sql`update public.bot_sessions set ${sql(column)} = now() where conversation_id = ${talk.id}`;
  await pass("remind_at");
  await work();
  await work();
  assert.deepEqual(sent(talk), [OPENING, "Do you hold a license?"]);
  await receive(talk, { Body: "yes" });
  await pass("expires_at");
  await takeTurn(talk);
  assert.equal(sent(talk).at(-1), "In which states?");
  await pass("expires_at");
  await work();
  assert.partialDeepStrictEqual(await stateOf(talk), { status: "bot", state: "expired" });
  assert.equal(sent(talk).length, 3);
  assert.deepEqual((await notifications(talk)).map(({ kind, reason }) => [kind, reason]), [[
    "handoff",
    "expired",
  ]]);
  await say(talk, "TX");
  assert.deepEqual([sent(talk).length, (await notifications(talk)).at(-1)!.kind], [3, "text"]);
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
  await say(talk, "I am driving");
  await say(talk, "I am driving");
  assert.deepEqual(sent(talk), [OPENING, "YES or NO?"]);
  assert.partialDeepStrictEqual(await stateOf(talk), {
    status: "escalated",
    reason: "automatic_reply",
  });
});

Deno.test("two bots that face each other stop", async () => {
  const talk = await createTalk();
  await sql`
    insert into public.service_numbers (phone, agency_id) values (${talk.recruit}, ${talk.agency_id})`;
  await say(talk, "Hi");
  assert.deepEqual(sent(talk), []);
});

Deno.test("nobody writes into silence: without a script the lead's agent is told, else the managers", async () => {
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

Deno.test("the bot is switched off: what it has begun ends, and people are told of texts", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await sql`select private.switch_bot_off(${talk.agency_id})`;
  await say(talk, "yes");
  assert.deepEqual(sent(talk), [OPENING]);
  assert.partialDeepStrictEqual(await stateOf(talk), { state: "stopped", reason: "switched_off" });
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["text"]);
});

/** The response of Twilio to a text that it will never send. */
const REFUSED = { status: 400, code: 21614 };

Deno.test("a question that fails for good: a person is told, and the next text is no answer to it", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  double.fail({ ...REFUSED, to: talk.recruit });
  await say(talk, "yes");
  assert.deepEqual(sent(talk), [OPENING]);
  const { status, state, waiting_since } = await stateOf(talk);
  assert.deepEqual([status, state], ["bot", "active"]);
  assert(waiting_since instanceof Date, "the recruit waits again");
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["failed"]);
  await say(talk, "TX");
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes" });
  await say(talk, "OK, TX");
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes", states: ["OK", "TX"] });
});

Deno.test("an opening that fails for good is said again", async () => {
  const talk = await createTalk();
  double.fail({ ...REFUSED, to: talk.recruit });
  await say(talk, "Hi");
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["failed"]);
  await say(talk, "yes");
  assert.deepEqual(sent(talk), [OPENING]);
  await say(talk, "yes, I do");
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
});

Deno.test("a question that the carrier does not deliver is asked again, and one that was only late is not", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  double.callBack({ statuses: ["sent", "undelivered"], error_code: 30003 });
  await say(talk, "yes");
  double.callBack();
  await eventually(10, async () => {
    assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["failed"]);
  });
  await say(talk, "TX");
  assert.deepEqual(sent(talk), [OPENING, "In which states?", "In which states?"]);
  // The question has arrived. Only its reminder does not.
  double.fail({ ...REFUSED, to: talk.recruit });
  await sql`update public.bot_sessions set remind_at = now() where conversation_id = ${talk.id}`;
  await work();
  await say(talk, "Ohio");
  assert.equal(sent(talk).at(-1), DONE);
});

Deno.test("of a text of the bot that waits for a day a person is told once, and the next text is no answer to it", async () => {
  const talk = await createTalk();
  await say(talk, "Hi");
  await sql`update public.service_numbers set status = 'paused', paused_reason = 'test' where phone = ${talk.service}`;
  await say(talk, "yes");
  const pass = async (time: string) => {
    await sql`
      update public.text_outbox set created_at = now() - ${time}::interval
      where conversation_id = ${talk.id} and state = 'pending'`;
    await sql`select private.deliver_notifications()`;
    return (await notifications(talk)).map(({ kind }) => kind);
  };
  assert.deepEqual(await pass("23 hours"), []);
  assert.deepEqual(await pass("25 hours"), ["failed"]);
  assert.deepEqual(await pass("26 hours"), ["failed"]);
  await sql`update public.service_numbers set status = 'active', paused_reason = null where phone = ${talk.service}`;
  await work();
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
  await say(talk, "are you there, I am in TX");
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes" });
  assert.deepEqual(sent(talk).slice(2), ["In which states?"]);
});

Deno.test("a recruit who writes more than 20 texts in a turn gets a person, and others get their answers", async () => {
  const [flood, other] = [await createTalk(), await createTalk()];
  await say(flood, "Hi");
  for (let n = 0; n < 25; n++) await receive(flood, { Body: "ok" });
  await say(other, "Hi");
  assert.deepEqual(sent(other), [OPENING]);
  await takeTurn(flood);
  assert.deepEqual(sent(flood), [OPENING, "A person will write to you."]);
  assert.partialDeepStrictEqual(await stateOf(flood), { status: "escalated", reason: "not_understood" });
});
