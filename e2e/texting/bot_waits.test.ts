/** The bot's texts that wait, expire or fail. */
import assert from "node:assert/strict";
import { eventually } from "../support/processes.ts";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { double, work } from "./texts.ts";
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
} from "./bot_conversations.ts";

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
