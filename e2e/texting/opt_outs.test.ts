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

Deno.test("race: in 40 rounds of STOP against two texts, none is sent after the response to STOP, and none twice", async () => {
  const sender = await createSender();
  let [sent, refused] = [0, 0];
  for (let batch = 0; batch < 2; batch++) {
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

Deno.test("an opt-out at Twilio counts, whether a response, a callback or an OptOutType tells of it", async () => {
  const { agent, ...byResponse } = await createAgentsConversation();
  double.receive({ from: byResponse.recruit, to: byResponse.phone, body: "STOP" });
  const ids = [await queueText(byResponse, "1"), await queueText(byResponse, "2")];

  double.callBack({ statuses: ["failed"], error_code: 21610 });
  const byCallback = await createConversation();
  ids.push(await queueText(byCallback, "1"));
  await work();
  double.callBack();
  const byType = await createConversation();
  ids.push(await queueText(byType, "1"));
  await receive(byType, "arret", { OptOutType: "STOP" });
  for (const conversation of [byResponse, byCallback, byType]) {
    await eventually(10, async () => assert.equal(await consentOf(conversation), "opted_out"));
  }
  const texts = await Promise.all(ids.map(outboxText));
  assert.deepEqual(texts.map(({ status, error_code }) => [status, error_code]), ids.map(() => ["failed", "21610"]));
  await work();
  assert.deepEqual([sentBodies(byResponse), sentBodies(byType)], [[], []]);
  const { error, status } = await agent.client.rpc("send_text", {
    conversation_id: byResponse.id,
    body: "Hi",
    client_message_id: crypto.randomUUID(),
  });
  assert.equal(status, 403);
  assert.match(error!.message, /opted out/);
});
