/** A recruit who has said STOP gets no text any more. */
import assert from "node:assert/strict";
import { sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { newSid, sendSigned } from "../support/sms.ts";
import {
  type Conversation,
  createAgentsConversation,
  createConversation,
  createSender,
  double,
  outboxText,
  queueText,
  sentBodies,
  work,
} from "./texts.ts";

/** Sends a text of the recruit. */
async function receive(
  { recruit, phone }: Conversation,
  Body: string,
  more: Record<string, string> = {},
): Promise<void> {
  const parameters = { From: recruit, To: phone, Body, MessageSid: newSid(), ...more };
  const { status, body } = await sendSigned("/recruiting/sms/inbound", parameters);
  assert.deepEqual([status, body], [200, { status: "received" }]);
}

async function consentOf({ agency_id, recruit }: Conversation): Promise<string | undefined> {
  const [row] = await sql`
    select state from public.text_consents where agency_id = ${agency_id} and phone = ${recruit}`;
  return row?.state;
}

Deno.test("race: in 80 rounds of STOP against two texts, none is sent after the response to STOP, and none twice", async () => {
  const sender = await createSender();
  let [sent, refused] = [0, 0];
  for (let batch = 0; batch < 4; batch++) {
    const rounds = await Promise.all(Array.from({ length: 20 }, async () => {
      const conversation = await createConversation(sender);
      const ids = [await queueText(conversation, "1"), await queueText(conversation, "2")];
      return { conversation, ids, stoppedAt: new Date() };
    }));
    await Promise.all([
      work(),
      work(),
      ...rounds.map(async (round) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 150));
        await receive(round.conversation, "STOP");
        round.stoppedAt = new Date();
      }),
    ]);
    await work();
    const log = double.log();
    for (const { conversation, ids, stoppedAt } of rounds) {
      const texts = await Promise.all(ids.map(outboxText));
      const bodies = log.messages.filter(({ to }) => to === conversation.recruit)
        .map(({ body }) => body);
      assert.deepEqual(bodies, ["1", "2"].slice(0, bodies.length));
      for (const [n, { state, attempted_at }] of texts.entries()) {
        assert.equal(state, n < bodies.length ? "accepted" : "refused");
        if (state === "accepted") assert(attempted_at <= stoppedAt);
      }
      sent += bodies.length;
      refused += 2 - bodies.length;
    }
  }
  // Else it was no race.
  assert(sent > 0 && refused > 0, `${sent} sent, ${refused} refused`);
});

const OPT_OUTS = ["STOP", "OPT OUT", " Stop. ", '"STOP"', "stop texting me!"];
const NO_OPT_OUTS = ["I will stop by on Monday", "When does it end?", "HELP", "no"];

Deno.test("a keyword or wording refuses what waits, and START lets texts through again", async () => {
  const sender = await createSender();
  await Promise.all([...OPT_OUTS, ...NO_OPT_OUTS].map(async (words) => {
    const conversation = await createConversation(sender);
    const id = await queueText(conversation, "Hi");
    await receive(conversation, words);
    const optsOut = OPT_OUTS.includes(words);
    assert.equal(await consentOf(conversation), optsOut ? "opted_out" : undefined, words);
    assert.equal((await outboxText(id)).state, optsOut ? "refused" : "pending", words);
    if (!optsOut) return;
    const start = ["START", "UNSTOP", "YES"][OPT_OUTS.indexOf(words) % 3]!;
    await receive(conversation, start);
    assert.equal(await consentOf(conversation), "opted_in", start);
    const [event] = await sql`
      select words from public.text_consent_events
      where agency_id = ${conversation.agency_id} and phone = ${conversation.recruit}
        and state = 'opted_out'`;
    assert.equal(event!.words, words);
    await queueText(conversation, "Hello again");
  }));
  await work();
  const log = double.log();
  const bodies = log.messages.filter(({ from }) => from === sender.phone).map(({ body }) => body);
  assert.equal(bodies.filter((body) => body === "Hello again").length, OPT_OUTS.length);
  assert.equal(bodies.filter((body) => body === "Hi").length, NO_OPT_OUTS.length);
});

Deno.test("an opt-out at Twilio counts, whether a response or a callback tells of it", async () => {
  const { agent, ...byResponse } = await createAgentsConversation();
  double.receive({ from: byResponse.recruit, to: byResponse.phone, body: "STOP" });
  const ids = [await queueText(byResponse, "1"), await queueText(byResponse, "2")];

  double.callBack({ statuses: ["failed"], error_code: 21610 });
  const byCallback = await createConversation();
  ids.push(await queueText(byCallback, "1"));
  await work();
  double.callBack();
  for (const conversation of [byResponse, byCallback]) {
    await eventually(10, async () => assert.equal(await consentOf(conversation), "opted_out"));
  }
  const texts = await Promise.all(ids.map(outboxText));
  assert.deepEqual(texts.map(({ status }) => status), ["failed", "failed", "failed"]);
  assert.deepEqual(texts.map(({ error_code }) => error_code), ["21610", "21610", "21610"]);
  assert.deepEqual(sentBodies(byResponse), []);
  const { error } = await agent.client.rpc("send_text", {
    conversation_id: byResponse.id,
    body: "Hi",
    client_message_id: crypto.randomUUID(),
  });
  assert.match(error!.message, /opted out/);
});
