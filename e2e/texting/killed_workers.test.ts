/** Workers that are killed while they send. */
import assert from "node:assert/strict";
import { createVendor, send, sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { newPhone } from "../support/sms.ts";
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
  for (let round = 0; round < 3 || interrupted === 0 && round < 10; round++) {
    const workers = startWorkers(20);
    // A busy machine starts them late.
    await eventually(10, async () => {
      const [row] = await sql`
        select bool_or(state = 'sending') or not bool_or(state = 'pending') as has_begun
        from public.text_outbox where message_id in ${sql(ids)}`;
      assert(row!.has_begun);
    });
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
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

Deno.test("workers that are killed in the bot's turns answer each recruit once", async () => {
  const sender = await createSender();
  // No hour is quiet there.
  await sql`
    insert into public.area_codes (area_code, state, country, timezones, source)
    values ('996', 'XK', 'US', ${["UTC"]}, 'a test')`;
  await sql`
    insert into public.texting_hours (state, opens, closes, source) values ('XK', '00:00', '24:00', 'a test')`;
  const conversations = await Promise.all(
    Array.from({ length: 60 }, () => createConversation(sender, newPhone().replace("+1312", "+1996"))),
  );
  const ids = conversations.map(({ id }) => id);
  await sql`
    select private.store_bot_script(${sender.agency_id}, ${
    sql.json({
      opening: "{agency}. STOP ends this.",
      questions: [{ id: "licensed", ask: "Licensed?", answer: "yes_no" }],
      done: "Thank you.",
      handoff_words: ["agent"],
    })
  })`;
  const vendor = await createVendor();
  await sql`
    with lead as (
      insert into public.recruiting_leads (vendor_id, first_name, distribution, agency_id, distributed_at)
      values (${vendor.id}, 'Ada', 'distributed', ${sender.agency_id}, now()) returning id
    )
    update public.recruiting_conversations c set recruiting_lead_id = lead.id
    from lead where c.id = any (${ids}::uuid[])`;
  await sql`
    select public.receive_sms(c.recruit_phone, c.service_phone, c.id::text, 'Hello', '[]')
    from public.recruiting_conversations c where c.id = any (${ids}::uuid[])`;
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
  for (const conversation of conversations) {
    assert.equal(sentBodies(conversation).length, 1);
  }
  await sql`delete from public.texting_hours where state = 'XK'`;
  await sql`delete from public.area_codes where state = 'XK'`;
});
