/** The fate of a text whose request fails or whose response is lost: Twilio gets it once, and in its order. */
import assert from "node:assert/strict";
import { send, sql } from "../support/client.ts";
import { eventually, loggedErrors } from "../support/processes.ts";
import { newSid, sendSigned, signedForm } from "../support/sms.ts";
import {
  ACCEPT_THEN_DROP,
  DROP,
  ERROR_AFTER_ACCEPT,
  type Fault,
  TOO_MANY_REQUESTS,
} from "../../dev/testing/twilio/double.ts";
import {
  awaitStatus,
  createAgentsConversation,
  createConversation,
  createSender,
  double,
  outboxText,
  passTime,
  queueText,
  requestWork,
  sentBodies,
  settle,
  work,
} from "./texts.ts";
import { kill } from "../../dev/testing/faults/parts.ts";

/** Each happens to the first of two texts of a conversation. Nothing is told by a callback. */
const FAULTS: Record<string, Fault[]> = {
  "the response is lost after Twilio has accepted the text": [ACCEPT_THEN_DROP],
  "the connection breaks before Twilio has accepted the text": [DROP],
  "Twilio responds with 500 although it has accepted the text": [ERROR_AFTER_ACCEPT],
  "Twilio responds with 503 and has not accepted the text": [{ status: 503 }],
  "Twilio takes too many requests": [TOO_MANY_REQUESTS],
  "Twilio says when to come again": [{ ...TOO_MANY_REQUESTS, retry_after: 600 }],
  "Twilio's queue of the number is full": [{ status: 429, code: 21611 }],
  "the list cannot be read either": [ACCEPT_THEN_DROP, { method: "GET", status: 500, times: 2 }],
  "the response is lost again when the text is sent again": [DROP, ACCEPT_THEN_DROP],
};

Deno.test("a text is at Twilio once, and before the next one, when", async (test) => {
  double.callBack({ statuses: [] });
  const sender = await createSender();
  const cases = await Promise.all(
    Object.entries(FAULTS).map(async ([name, faults]) => {
      const conversation = await createConversation(sender);
      for (const fault of faults) double.fail({ ...fault, to: conversation.recruit });
      const ids = [await queueText(conversation, "1"), await queueText(conversation, "2")];
      return { name, conversation, ids };
    }),
  );
  await settle(cases.flatMap(({ ids }) => ids));
  double.callBack();
  for (const { name, conversation, ids } of cases) {
    await test.step(name, async () => {
      assert.deepEqual(sentBodies(conversation), ["1", "2"]);
      const sids = double.sentTo(conversation.recruit).map(({ sid }) => sid);
      const stored = await Promise.all(ids.map(outboxText));
      assert.deepEqual(stored.map(({ provider_message_id }) => provider_message_id), sids);
    });
  }
});

Deno.test("two texts with the same words, whose responses are both lost, are two messages", async () => {
  double.callBack({ statuses: [] });
  const conversation = await createConversation();
  double.fail({ ...ACCEPT_THEN_DROP, to: conversation.recruit, times: 2 });
  const ids = [await queueText(conversation, "OK"), await queueText(conversation, "OK")];
  await settle(ids);
  double.callBack();
  assert.deepEqual(sentBodies(conversation), ["OK", "OK"]);
  const sids = (await Promise.all(ids.map(outboxText))).map((text) => text.provider_message_id);
  assert.equal(new Set(sids).size, 2);
});

Deno.test("a lost response is made up for by the callback, without a look-up", async () => {
  const conversation = await createConversation();
  double.fail({ ...ACCEPT_THEN_DROP, to: conversation.recruit });
  const id = await queueText(conversation, "Hi");
  await work();
  await awaitStatus(id, "delivered");
  const { state, lookups, provider_message_id } = await outboxText(id);
  const [sent] = double.sentTo(conversation.recruit);
  assert.deepEqual([state, lookups, provider_message_id], ["accepted", 0, sent!.sid]);
});

Deno.test("a text that Twilio does not know 10 minutes after it was sent again is failed, and its agent is notified", async () => {
  const { agent, ...conversation } = await createAgentsConversation();
  double.fail({ ...DROP, to: conversation.recruit, times: 2 });
  const id = await queueText(conversation, "Hi");
  await settle([id]);
  assert.partialDeepStrictEqual(await outboxText(id), {
    state: "failed",
    reason: "unconfirmed",
    status: "failed",
    resends: 1,
  });
  const { data } = await agent.client.from("agent_notifications").select("kind, message_id");
  assert.deepEqual(data, [{ kind: "failed", message_id: id }]);
  await settle([id]);
  assert.deepEqual(sentBodies(conversation), []);
});

Deno.test("while Twilio refuses connections texts wait, and are sent once it is back", async () => {
  const conversation = await createConversation();
  const ids = [await queueText(conversation, "1"), await queueText(conversation, "2")];
  await double.stop();
  try {
    await work();
    assert.equal((await outboxText(ids[0]!)).state, "pending");
  } finally {
    await double.start();
  }
  await settle(ids);
  assert.deepEqual(sentBodies(conversation), ["1", "2"]);
});

for (const part of ["postgrest", "postgres"] as const) {
  Deno.test(`when ${part} is killed between a text and its outcome, the outcome is recorded once it is back`, async () => {
    double.callBack({ statuses: [] });
    const conversation = await createConversation();
    double.fail({ to: conversation.recruit, accepted: true, delay_ms: 700 });
    const ids = [await queueText(conversation, "1"), await queueText(conversation, "2")];
    const working = requestWork();
    await double.awaitMessage(conversation.recruit);
    await kill(part);
    await working;
    await settle(ids);
    double.callBack();
    assert.deepEqual(sentBodies(conversation), ["1", "2"]);
    const first = await outboxText(ids[0]!);
    assert.deepEqual([first.attempt, first.resends], [1, 0]);
  });
}

Deno.test("a forged callback is 401 and binds nothing", async () => {
  const conversation = await createConversation();
  const id = await queueText(conversation, "Hi");
  const path = `/recruiting/sms/status?message=${id}`;
  const parameters = { MessageSid: newSid(), MessageStatus: "delivered" };
  const other = signedForm(path.replace(id, crypto.randomUUID()), parameters);
  const changed = signedForm(path, { ...parameters, MessageStatus: "sent" });
  for (
    const forged of [{ body: other.body, headers: {} }, other, { ...changed, body: other.body }]
  ) {
    assert.equal((await send(path, forged)).status, 401);
  }
  assert.partialDeepStrictEqual(await outboxText(id), { state: "pending", provider_message_id: null });
  assert.equal((await sendSigned(path, parameters)).status, 200);
  assert.partialDeepStrictEqual(await outboxText(id), {
    state: "accepted",
    provider_message_id: parameters.MessageSid,
  });
});

Deno.test("with a wrong account or token texts wait, one line is logged, and nothing is lost", async () => {
  const sender = await createSender();
  const conversations = await Promise.all([1, 2, 3, 4].map(() => createConversation(sender)));
  const ids: string[] = [];
  for (const conversation of conversations) {
    ids.push(await queueText(conversation, "1"), await queueText(conversation, "2"));
  }
  const refusedLogins = () => loggedErrors().split("twilio_refused_login").length - 1;
  const before = refusedLogins();
  double.fail({ status: 401, code: 20003, times: 1_000 });
  assert((await work()).pending! > 0);
  // The log is written a moment after the response.
  await eventually(10, () => Promise.resolve(assert.notEqual(refusedLogins(), before)));
  for (const id of ids) {
    const { state, attempt, due_at, error_code } = await outboxText(id);
    assert.deepEqual([state, attempt, error_code], ["pending", 0, null]);
    assert(due_at > new Date());
  }
  const held = () => sql`select reason from public.text_outbox where message_id = any (${ids}) and reason is not null`;
  assert.deepEqual([...await held()], ids.map(() => ({ reason: "credentials" })));
  const [stuck] = await sql`
    select f.details ->> 'reason' as reason from private.find_texts_stuck('{"minutes": 60}', now()) f
    where f.subject = 'texts_stuck'`;
  assert.deepEqual(stuck, { reason: "credentials" });
  double.clearFaults();
  await passTime(ids);
  await work();
  for (const conversation of conversations) {
    assert.deepEqual(sentBodies(conversation), ["1", "2"]);
  }
  assert.equal(refusedLogins() - before, 1);
  assert.deepEqual([...await held()], []);
  const [run] = await sql`
    select started_at > now() - interval '1 minute' as is_noted from private.job_runs where job = 'send texts'`;
  assert.deepEqual(run, { is_noted: true });
});
