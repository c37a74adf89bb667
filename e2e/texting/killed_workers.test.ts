/** Workers that are killed while they send. */
import assert from "node:assert/strict";
import { send, sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { receive } from "../support/sms.ts";
import { ACCEPT_THEN_DROP } from "../../dev/testing/twilio/double.ts";
import { createTalk, OPENING, sent } from "./bot_conversations.ts";
import {
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
import { rowLock, whileHeld } from "../../dev/testing/faults/database.ts";

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
