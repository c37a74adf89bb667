/** Workers that are killed while they send. */
import assert from "node:assert/strict";
import { send, sql } from "../support/client.ts";
import { eventually, pidOf } from "../support/processes.ts";
import { ACCEPT_THEN_DROP } from "../../dev/testing/twilio/double.ts";
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

/** Kills the process that all workers run in, and waits until there is a new one. */
async function killWorkers(): Promise<void> {
  const pid = pidOf("gateway");
  Deno.kill(pid, "SIGKILL");
  await eventually(20, async () => {
    assert.notEqual(pidOf("gateway"), pid);
    assert.equal((await send("/texting/work")).status, 401);
  });
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

Deno.test("twenty workers that are killed again and again send 200 texts once each, in their order", async () => {
  const senders = await Promise.all(Array.from({ length: 5 }, () => createSender()));
  const conversations = await Promise.all(
    Array.from({ length: 20 }, (_, n) => createConversation(senders[n % senders.length])),
  );
  const bodies = Array.from({ length: 10 }, (_, n) => `text ${n}`);
  const queued = await sql`
    select (private.queue_text(c.id, 'agent', b.body, '[]', gen_random_uuid())).message_id
    from unnest(${bodies}::text[]) with ordinality b (body, n),
      unnest(${conversations.map(({ id }) => id)}::uuid[]) c (id)
    order by b.n`;
  const ids = queued.map(({ message_id }) => message_id);

  let interrupted = 0;
  for (let round = 0; round < 3; round++) {
    const workers = startWorkers(20);
    await new Promise((resolve) => setTimeout(resolve, 150 + Math.random() * 500));
    await killWorkers();
    await workers;
    const [sending] = await sql`
      select count(*)::integer from public.text_outbox
      where message_id in ${sql(ids)} and state = 'sending'`;
    interrupted += sending!.count;
    await passTime(ids);
  }
  assert(interrupted > 0, "no worker was killed while it was sending");

  await settle(ids, () => startWorkers(20));
  const log = double.log();
  for (const { recruit } of conversations) {
    const sent = log.messages.filter(({ to }) => to === recruit).map(({ body }) => body);
    assert.deepEqual(sent, bodies);
  }
});
