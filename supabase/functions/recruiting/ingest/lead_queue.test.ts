import assert from "node:assert/strict";
import type { StoredLead } from "./responses.ts";
import { LeadQueue, type QueuedLead, type SentLead } from "./lead_queue.ts";

/** A call that waits to be ended by the test. */
interface Call {
  leads: QueuedLead[];
  /** Answers each lead with its own id, and lets the next call begin. */
  end(handsOut?: boolean): void;
}

/** A queue whose calls the test ends, and what it has called so far. */
function queueWith(waitMs?: number): { queue: LeadQueue; calls: Call[] } {
  const calls: Call[] = [];
  const queue = new LeadQueue((leads) => {
    const { promise, resolve } = Promise.withResolvers<{ handsOut: boolean }>();
    const end = (handsOut = true) => {
      for (const lead of leads) lead.answer(created(lead));
      resolve({ handsOut });
    };
    calls.push({ leads, end });
    return promise;
  }, waitMs);
  return { queue, calls };
}

function created({ lead: { id } }: SentLead): StoredLead {
  return { id, status: "created", distributed_to: null };
}

function lead(
  vendor = "v",
  { vendor_lead_id = null, key, delivery, metadata = {} }: {
    vendor_lead_id?: string | null;
    key?: string;
    delivery?: { id: string | null; part: number };
    metadata?: { [name: string]: string };
  } = {},
): SentLead {
  const webhook = delivery && { secret_id: "s", delivery_id: delivery.id, part: delivery.part };
  return {
    vendor: {
      id: vendor,
      credential: webhook ? { key_hash: null, webhook } : { key_hash: "h", webhook: null },
    },
    lead: {
      id: crypto.randomUUID(),
      first_name: "Ada",
      vendor_lead_id,
      vendor_metadata: metadata,
      resume_path: null,
    },
    idempotency: key === undefined ? null : { key, part: 0, request_hash: "" },
  };
}

const some = (count: number, vendor?: string) => Array.from({ length: count }, () => lead(vendor));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sizes = (calls: Call[]) => calls.map(({ leads }) => leads.length);

/** Adds leads, whose answers nobody waits for. */
function add(queue: LeadQueue, leads: SentLead[]): void {
  for (const sent of leads) queue.add(sent).catch(() => {});
}

/** Waits until so many calls have begun. */
async function begun(calls: Call[], count: number): Promise<void> {
  for (let waits = 0; calls.length < count && waits < 500; waits++) await pause(2);
  assert.equal(calls.length, count);
}

/** Ends one call after the other until there is none left. */
async function endAll(calls: Call[], handsOut?: boolean): Promise<void> {
  for (let ended = 0;; ended++) {
    for (let waits = 0; calls.length === ended && waits < 20; waits++) await pause(1);
    if (calls.length === ended) return;
    calls[ended]!.end(handsOut);
  }
}

Deno.test("a lone lead goes at once, and what comes during its call goes together in the next", async () => {
  const { queue, calls } = queueWith();
  const first = queue.add(lead());
  await begun(calls, 1);

  const others = [...some(3), ...some(2, "w")].map((sent) => queue.add(sent));
  await pause(20);
  assert.deepEqual(sizes(calls), [1]);
  calls[0]!.end();
  await first;
  await begun(calls, 2);
  assert.deepEqual(sizes(calls), [1, 5]);
  calls[1]!.end();
  assert.equal(new Set((await Promise.all(others)).map(({ id }) => id)).size, 5);
});

Deno.test("each lead gets its own result, also when others of its call fail", async () => {
  const failure = new Error("refused");
  const queue = new LeadQueue((leads) => {
    for (const [n, sent] of leads.entries()) {
      n === 1 ? sent.fail(failure) : sent.answer(created(sent));
    }
    return Promise.resolve({ handsOut: false });
  });
  const sent = some(3);
  const [first, second, third] = await Promise.allSettled(sent.map((one) => queue.add(one)));
  assert.deepEqual(first, { status: "fulfilled", value: created(sent[0]!) });
  assert.deepEqual(second, { status: "rejected", reason: failure });
  assert.deepEqual(third, { status: "fulfilled", value: created(sent[2]!) });
});

Deno.test("a call takes 100 leads at most, and 1 MiB unless one lead is larger", async () => {
  const { queue, calls } = queueWith();
  add(queue, some(250));
  await endAll(calls);
  assert.deepEqual(sizes(calls), [100, 100, 50]);

  const large = queueWith();
  const text = "x".repeat(400_000);
  add(
    large.queue,
    [text, text, text, text.repeat(5), "x"].map((note) => lead("v", { metadata: { note } })),
  );
  await endAll(large.calls);
  assert.deepEqual(sizes(large.calls), [2, 1, 1, 1]);
});

Deno.test("vendors take turns: a burst of 1,000 leads does not keep another vendor's lead waiting", async () => {
  const { queue, calls } = queueWith();
  add(queue, some(1_000, "burst"));
  await begun(calls, 1);
  add(queue, [...some(1, "small"), ...some(60, "medium")]);
  await endAll(calls);
  const second = calls[1]!.leads.map(({ vendor }) => vendor.id);
  assert.deepEqual(second.slice(0, 3).sort(), ["burst", "medium", "small"]);
  assert.equal(second.length, 100);
  assert(second.filter((id) => id === "medium").length >= 49);
  assert.equal(calls.flatMap(({ leads }) => leads).length, 1_061);
});

Deno.test("of 150 vendors each has had a turn before one has a second", async () => {
  const { queue, calls } = queueWith();
  for (let n = 0; n < 150; n++) add(queue, some(2, `vendor ${n}`));
  await endAll(calls);
  const order = calls.flatMap(({ leads }) => leads.map(({ vendor }) => vendor.id));
  assert.equal(new Set(order.slice(0, 150)).size, 150);
});

for (
  const [what, options] of [
    ["vendor_lead_id", { vendor_lead_id: "a" }],
    ["Idempotency-Key", { key: "a" }],
    ["delivery", { delivery: { id: "a", part: 0 } }],
  ] as const
) {
  Deno.test(`leads with one ${what} never share a call, and follow each other`, async () => {
    const { queue, calls } = queueWith();
    const same = Array.from({ length: 3 }, () => lead("v", options));
    add(queue, [same[0]!, lead(), same[1]!, same[2]!, lead("w", options)]);
    await begun(calls, 1);
    calls[0]!.end(false);
    await begun(calls, 2);
    // A second call may begin beside it, but not with a lead of the same id.
    add(queue, some(1));
    await begun(calls, 3);
    assert.deepEqual(sizes(calls), [3, 1, 1]);
    await endAll(calls);
    const ids = calls.map(({ leads }) => leads.map(({ lead }) => lead.id));
    assert(ids[0]!.includes(same[0]!.lead.id));
    assert.deepEqual(ids[1], [same[1]!.lead.id]);
    assert.deepEqual(ids[3], [same[2]!.lead.id]);
  });
}

Deno.test("a lead waits for every earlier one that it shares an id with", async () => {
  const { queue, calls } = queueWith();
  const [a, b, both] = [
    lead("v", { vendor_lead_id: "a" }),
    lead("v", { key: "k" }),
    lead("v", { vendor_lead_id: "a", key: "k" }),
  ];
  add(queue, [a, b, both]);
  await begun(calls, 1);
  const [first, second] = calls[0]!.leads;
  assert.equal(calls[0]!.leads.length, 2);
  first!.answer(created(a));
  await pause(5);
  assert.equal(calls.length, 1);
  second!.answer(created(b));
  calls[0]!.end();
  await begun(calls, 2);
  assert.deepEqual(calls[1]!.leads.map(({ lead }) => lead.id), [both.lead.id]);
  calls[1]!.end();
});

Deno.test("the leads of one delivery share a call, because each is a part of its own", async () => {
  const { queue, calls } = queueWith();
  add(queue, [0, 1, 2].map((part) => lead("v", { delivery: { id: "d", part } })));
  add(queue, [0, 1].map((part) => lead("v", { delivery: { id: null, part } })));
  await endAll(calls);
  assert.deepEqual(sizes(calls), [5]);
});

Deno.test("a second call begins beside a slow one that hands nothing out, and a third does not", async () => {
  const { queue, calls } = queueWith();
  add(queue, some(1));
  await begun(calls, 1);
  calls[0]!.end(false);
  for (const count of [2, 3]) {
    add(queue, some(1));
    await begun(calls, count);
  }
  add(queue, some(1));
  await pause(20);
  assert.equal(calls.length, 3);
  calls[1]!.end(false);
  await begun(calls, 4);
  await endAll(calls.slice(2), false);
});

Deno.test("a second call begins beside one that hands leads out when that seems to hang", async () => {
  const { queue, calls } = queueWith();
  add(queue, some(1));
  await begun(calls, 1);
  calls[0]!.end(true);
  add(queue, some(1));
  await begun(calls, 2);
  add(queue, some(4));
  await pause(20);
  assert.equal(calls.length, 2);
  await begun(calls, 3);
  assert.deepEqual(sizes(calls), [1, 1, 4]);
  await endAll(calls.slice(1));
});

Deno.test("a lead that waits too long for its call is INTERNAL_ERROR, and is not sent any more", async () => {
  const { queue, calls } = queueWith(30);
  const first = queue.add(lead("v", { vendor_lead_id: "a" }));
  await begun(calls, 1);
  const late = [queue.add(lead()), queue.add(lead("v", { vendor_lead_id: "a" }))];
  for (const one of late) await assert.rejects(one, { code: "INTERNAL_ERROR" });

  // Not even then does another lead with the id share a call with the first.
  add(queue, [lead("v", { vendor_lead_id: "a" })]);
  calls[0]!.end();
  await first;
  await begun(calls, 2);
  assert.deepEqual(sizes(calls), [1, 1]);
  calls[1]!.end();
});
