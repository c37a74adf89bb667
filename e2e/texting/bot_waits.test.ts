/** The bot's texts that wait, expire or fail, and the texts that come before a question has left. */
import assert from "node:assert/strict";
import { eventually } from "../support/processes.ts";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { double, passTime, work } from "./texts.ts";
import {
  createTalk,
  DONE,
  notifications,
  OPENING,
  say,
  sent,
  setHours,
  stateOf,
  takeTurn,
  type Talk,
} from "./bot_conversations.ts";
import { setTimeout as delay } from "node:timers/promises";
import { ACCEPT_THEN_DROP } from "../../dev/testing/twilio/double.ts";

Deno.test("quiet hours hold a question, which is worked out anew when they end, and no handing over", async () => {
  const [talk, other] = [await createTalk(), await createTalk()];
  await say(talk, "Hi");
  await setHours("00:00", "00:00");
  try {
    await say(talk, "maybe");
    await say(talk, "wait, yes");
    assert.deepEqual(sent(talk), [OPENING]);
    const [turn] = await sql`select due_at > now() as waits from public.bot_turns where conversation_id = ${talk.id}`;
    assert.equal(turn!.waits, true);
    await say(other, "I want an agent");
    assert.deepEqual(sent(other), []);
    assert.deepEqual(
      (await notifications(other)).map(({ reason }) => reason),
      ["asked"],
      "the agent is notified at once",
    );
  } finally {
    await setHours("00:00", "24:00");
  }
  await takeTurn(talk);
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
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
  assert.deepEqual((await notifications(talk)).map(({ kind, reason }) => [kind, reason]), [["handoff", "expired"]]);
  await say(talk, "TX");
  assert.deepEqual([sent(talk).length, (await notifications(talk)).at(-1)!.kind], [3, "text"]);
});

/** The response of Twilio to a text that it will never send. */
const REFUSED = { status: 400, code: 21614 };

Deno.test("an opening or a question that fails for good: a person is notified, and the next text is no answer to it", async () => {
  const talk = await createTalk();
  double.fail({ ...REFUSED, to: talk.recruit });
  await say(talk, "Hi");
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["failed"]);
  await say(talk, "yes");
  assert.deepEqual(sent(talk), [OPENING]);

  double.fail({ ...REFUSED, to: talk.recruit });
  await say(talk, "yes, I do");
  assert.deepEqual(sent(talk), [OPENING]);
  const { status, state, waiting_since } = await stateOf(talk);
  assert.deepEqual([status, state], ["bot", "active"]);
  assert(waiting_since instanceof Date, "the recruit waits again");
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["failed", "failed"]);
  await say(talk, "TX");
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes" });
  await say(talk, "OK, TX");
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes", states: ["OK", "TX"] });
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

Deno.test("of a text of the bot that waits for a day a person is notified once, and the next text is no answer to it", async () => {
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

async function heard({ id }: Talk): Promise<string[][]> {
  const rows = await sql`
    select body, heard from public.recruiting_messages
    where conversation_id = ${id} and direction = 'inbound' order by created_at`;
  return rows.map(({ body, heard }) => [body, heard]);
}

Deno.test("a text that came while the question waited is for a person, and the next one is the answer", async () => {
  const talk = await createTalk();
  const setNumber = (status: string) =>
    sql`update public.service_numbers set status = ${status} where phone = ${talk.service}`;
  await setNumber("paused");
  await say(talk, "Hello");
  await receive(talk, { Body: "yes" });
  await setNumber("active");
  await work();
  await takeTurn(talk);
  assert.deepEqual(sent(talk), [OPENING]);
  assert.partialDeepStrictEqual(await stateOf(talk), { state: "active", answers: {}, has_turn: false });
  assert.deepEqual((await notifications(talk)).map(({ kind }) => kind), ["text"]);
  await say(talk, "yes, I do");
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
  assert.deepEqual(await heard(talk), [["Hello", "opening"], ["yes", "early"], ["yes, I do", "answer"]]);
});

Deno.test("the response to a question is lost: its answer waits until Twilio is asked, and then counts", async () => {
  const talk = await createTalk();
  double.callBack({ statuses: [] });
  double.fail({ ...ACCEPT_THEN_DROP, to: talk.recruit });
  await say(talk, "Hello");
  // Twilio names no fractions of a second.
  await delay(1_100);
  await say(talk, "yes");
  double.callBack();
  assert.partialDeepStrictEqual(await stateOf(talk), { answers: {}, has_turn: true });
  const [opening] = await sql`
    select message_id from public.text_outbox where conversation_id = ${talk.id} and state = 'unconfirmed'`;
  await passTime([opening!.message_id]);
  await takeTurn(talk);
  await takeTurn(talk);
  assert.deepEqual(sent(talk), [OPENING, "In which states?"]);
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes" });
});

Deno.test("an answer to a question that is just being asked again counts", async () => {
  const talk = await createTalk();
  await say(talk, "Hello");
  await sql`update public.service_numbers set status = 'paused' where phone = ${talk.service}`;
  await say(talk, "maybe");
  await receive(talk, { Body: "yes" });
  await sql`update public.service_numbers set status = 'active' where phone = ${talk.service}`;
  await work();
  await takeTurn(talk);
  assert.deepEqual((await stateOf(talk)).answers, { licensed: "yes" });
});
