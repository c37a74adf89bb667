/** A text whose worker is killed, whose request fails or whose response is lost: Twilio gets it once, and in its order. */
import assert from "node:assert/strict";
import { send, sql } from "../support/client.ts";
import { eventually, loggedErrors } from "../support/processes.ts";
import {
  ACCEPT_THEN_DROP,
  DROP,
  ERROR_AFTER_ACCEPT,
  type Fault,
  TOO_MANY_REQUESTS,
} from "../../dev/testing/twilio/double.ts";
import {
  awaitStatus,
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
import { receive } from "../support/sms.ts";
import { createTalk, OPENING, sent } from "./bot_conversations.ts";
import { rowLock, whileHeld } from "../../dev/testing/faults/database.ts";

/** Each happens to the first of two texts of a conversation. Nothing is told by a callback. */
const FAULTS: [name: string, faults: Fault[], bodies?: [string, string]][] = [
  ["the response is lost after Twilio has accepted the text", [ACCEPT_THEN_DROP]],
  ["the connection breaks before Twilio has accepted the text", [DROP]],
  ["Twilio responds with 500 although it has accepted the text", [ERROR_AFTER_ACCEPT]],
  ["Twilio says when to come again", [{ ...TOO_MANY_REQUESTS, retry_after: 600 }]],
  ["the list cannot be read either", [ACCEPT_THEN_DROP, { method: "GET", status: 500, times: 2 }]],
  ["the response is lost again when the text is sent again", [DROP, ACCEPT_THEN_DROP]],
  ["both responses are lost, and both texts have the same words", [{ ...ACCEPT_THEN_DROP, times: 2 }], ["OK", "OK"]],
];

Deno.test("a text is at Twilio once, and before the next one, when", async (test) => {
  double.callBack({ statuses: [] });
  const sender = await createSender();
  const cases = await Promise.all(
    FAULTS.map(async ([name, faults, bodies = ["1", "2"]]) => {
      const conversation = await createConversation(sender);
      for (const fault of faults) double.fail({ ...fault, to: conversation.recruit });
      const ids = [await queueText(conversation, bodies[0]), await queueText(conversation, bodies[1])];
      return { name, conversation, bodies, ids };
    }),
  );
  await settle(cases.flatMap(({ ids }) => ids));
  double.callBack();
  for (const { name, conversation, bodies, ids } of cases) {
    await test.step(name, async () => {
      assert.deepEqual(sentBodies(conversation), bodies);
      const sids = double.sentTo(conversation.recruit).map(({ sid }) => sid);
      const stored = await Promise.all(ids.map(outboxText));
      assert.deepEqual(stored.map(({ provider_message_id }) => provider_message_id), sids);
    });
  }
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

Deno.test("when Postgres is killed between a text and its outcome, the outcome is recorded once it is back", async () => {
  double.callBack({ statuses: [] });
  const conversation = await createConversation();
  double.fail({ to: conversation.recruit, accepted: true, delay_ms: 700 });
  const ids = [await queueText(conversation, "1"), await queueText(conversation, "2")];
  const working = requestWork();
  await double.awaitMessage(conversation.recruit);
  await kill("postgres");
  await working;
  await settle(ids);
  double.callBack();
  assert.deepEqual(sentBodies(conversation), ["1", "2"]);
  const first = await outboxText(ids[0]!);
  assert.deepEqual([first.attempt, first.resends], [1, 0]);
});

Deno.test("with a wrong account or token texts wait, one line is logged, and nothing is lost", async () => {
  const sender = await createSender();
  const conversations = await Promise.all([1, 2].map(() => createConversation(sender)));
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
  const held = () => sql`select reason from public.text_outbox where message_id = any (${ids}) and reason is not null`;
  assert.deepEqual([...await held()], ids.map(() => ({ reason: "credentials" })));
  double.clearFaults();
  await passTime(ids);
  await work();
  for (const conversation of conversations) assert.deepEqual(sentBodies(conversation), ["1", "2"]);
  assert.equal(refusedLogins() - before, 1);
});

/** Kills the process that all workers run in, and waits until there is a new one. */
async function killWorkers(): Promise<void> {
  await kill("gateway");
  await eventually(20, async () => assert.equal((await send("/worker/run")).status, 401));
}

/** Starts workers, which may be killed. */
function startWorkers(count: number): Promise<unknown> {
  return Promise.allSettled(Array.from({ length: count }, () => requestWork()));
}

Deno.test("a worker is killed before Twilio has accepted a text, after it, and while it looks one up", async () => {
  double.callBack({ statuses: [] });
  const sender = await createSender();
  const [before, after, lookedUp] = await Promise.all([
    createConversation(sender),
    createConversation(sender),
    createConversation(sender),
  ]);
  double.fail({ ...ACCEPT_THEN_DROP, to: lookedUp!.recruit });
  const ids = [await queueText(lookedUp!, "1"), await queueText(lookedUp!, "2")];
  await work();
  await passTime(ids);

  for (const conversation of [before!, after!]) {
    ids.push(await queueText(conversation, "1"), await queueText(conversation, "2"));
  }
  const late = { delay_ms: 60_000 };
  double.fail({ ...late, drop: true, to: before!.recruit });
  double.fail({ ...late, accepted: true, to: after!.recruit });
  double.fail({ ...late, method: "GET", to: lookedUp!.recruit });
  const workers = startWorkers(1);
  await eventually(10, async () => {
    assert.equal((await outboxText(ids[2]!)).state, "sending");
    assert.equal((await outboxText(ids[4]!)).state, "sending");
    assert((await outboxText(ids[0]!)).due_at > new Date());
    assert.deepEqual(sentBodies(after!), ["1"]);
  });
  await killWorkers();
  await workers;

  await settle(ids);
  double.callBack();
  for (const conversation of [before!, after!, lookedUp!]) {
    assert.deepEqual(sentBodies(conversation), ["1", "2"]);
  }
  const [killedBefore, killedAfter] = [await outboxText(ids[2]!), await outboxText(ids[4]!)];
  assert.deepEqual([killedBefore.resends, killedAfter.resends], [1, 0]);
});

Deno.test("workers that are killed in the bot's turns answer each recruit once", async () => {
  const talks = await Promise.all(Array.from({ length: 5 }, () => createTalk()));
  for (const talk of talks) await receive(talk, { Body: "Hello" });
  const ids = talks.map(({ id }) => id);
  const pass = () =>
    sql`update public.bot_turns set due_at = now(), lease_until = null where conversation_id = any (${ids}::uuid[])`;

  // A worker cannot end this turn.
  let workers: Promise<unknown> | undefined;
  await whileHeld(rowLock("public.recruiting_conversations", ids[0]!), async () => {
    await pass();
    workers = startWorkers(3);
    await eventually(10, async () => {
      const [turn] = await sql`select attempt from public.bot_turns where conversation_id = ${ids[0]!}`;
      assert.equal(turn!.attempt, 1);
    });
    await killWorkers();
  });
  await workers;
  await pass();
  await work();
  const queued = await sql`
    select message_id from public.text_outbox where conversation_id = any (${ids}::uuid[])`;
  await settle(queued.map(({ message_id }) => message_id));
  for (const talk of talks) assert.deepEqual(sent(talk), [OPENING]);
});
