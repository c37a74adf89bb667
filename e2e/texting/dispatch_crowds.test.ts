/** Many dispatches, several workers, and workers that die. */
import assert from "node:assert/strict";
import { send, sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { Scheduler } from "../../dev/local/mod.ts";
import { kill } from "../../dev/testing/faults/parts.ts";
import { launcher } from "./alerts.ts";
import {
  addEvent,
  createDestination,
  createDue,
  createLeads,
  type Destination,
  dispatchesOf,
  passTime,
  receiver,
  requestsOf,
} from "./dispatches.ts";
import { requestWork, work } from "./texts.ts";

/** Waits until nothing of these destinations is left to send. */
async function delivered(destinations: Destination[]): Promise<void> {
  await eventually(120, async () => {
    const [row] = await sql`
      select count(*)::integer as open from private.dispatches
      where destination_id in ${sql(destinations.map(({ id }) => id))} and state <> 'delivered'`;
    assert.equal(row!.open, 0);
  });
}

Deno.test("two schedulers and five workers send each dispatch once, those of a lead in their order", async () => {
  const destinations = await Promise.all([1, 4, 16].map((max_at_once) => createDestination({ max_at_once })));
  for (const destination of destinations) {
    const lead_ids = await createLeads(destination, 60);
    await addEvent("lead.distributed", lead_ids);
    await addEvent("recruit.replied", lead_ids);
    await addEvent("lead.returned", lead_ids);
  }
  const schedulers = [1, 2].map(() => new Scheduler({ ...launcher, askEvery: 100, isConfigured: true }));
  try {
    const workers = Array.from({ length: 5 }, () => requestWork());
    await delivered(destinations);
    await Promise.all(workers);
  } finally {
    await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
  }
  for (const destination of destinations) {
    const requests = requestsOf(destination);
    const ids = requests.map(({ headers }) => headers["webhook-id"]);
    assert.equal(ids.length, 180);
    assert.equal(new Set(ids).size, 180);
    const typesOf = Map.groupBy(requests.map(({ body }) => JSON.parse(body)), ({ data }) => data.lead.id);
    assert.equal(typesOf.size, 60);
    for (const events of typesOf.values()) {
      assert.deepEqual(events.map(({ type }) => type), ["lead.distributed", "recruit.replied", "lead.returned"]);
    }
  }
});

Deno.test("what a killed worker has sent is sent again by the same id", async () => {
  const due = await createDue();
  receiver.behave("hang");
  const working = requestWork().catch(() => {});
  await eventually(20, () => assert.equal(requestsOf(due).length, 1));
  await kill("gateway");
  await eventually(20, async () => assert.equal((await send("/worker/run")).status, 401));
  await working;
  receiver.behave();
  await work();
  assert.equal(requestsOf(due).length, 1, "its worker may still be sending it");
  await passTime(due);
  await work();
  const [first, second, ...others] = requestsOf(due).map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([second, others], [first, []]);
  assert.partialDeepStrictEqual((await dispatchesOf(due))[0], { state: "delivered", attempt: 2 });
});

Deno.test("a lead arrives while 100,000 dispatches wait for a destination that does not respond", async () => {
  const dead = await createDestination();
  const [lead_id] = await createLeads(dead);
  await sql`
    insert into private.dispatches (destination_id, event, lead_id, body)
    select ${dead.id}, 'lead.distributed', gen_random_uuid(),
      jsonb_build_object('type', 'lead.distributed', 'data', jsonb_build_object('lead', jsonb_build_object('id', ${lead_id!}::text)))
    from generate_series(1, 100000)`;
  await sql`analyze private.dispatches`;
  receiver.behave(({ path }) => path === dead.path ? "hang" : { status: 200 });
  const stuck = requestWork();
  await eventually(20, () => assert.equal(requestsOf(dead).length, 4));

  const living = await createDue();
  const working = requestWork();
  await eventually(10, () => assert.equal(requestsOf(living).length, 1));
  const [row] = await sql`select failures from public.destinations where id = ${dead.id}`;
  assert.equal(row!.failures, 0, "it arrived before the other one has failed");
  receiver.behave({ status: 410 });
  await Promise.all([stuck, working]);
});
