/** A text that came before the bot's question had left is no answer to it. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { ACCEPT_THEN_DROP } from "../../dev/testing/twilio/double.ts";
import { sql } from "../support/client.ts";
import { receive } from "../support/sms.ts";
import { createTalk, notifications, OPENING, say, sent, stateOf, takeTurn, type Talk } from "./bot_conversations.ts";
import { double, passTime, work } from "./texts.ts";

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
