import assert from "node:assert/strict";
import { databaseError } from "../../_shared/database.ts";
import { type ApiError, internalError } from "../../_shared/errors.ts";
import type { StoredLead } from "./responses.ts";
import { LeadBatcher, type SentLead, STORE_CALLS } from "./store.ts";

/** A call that the test completes. */
interface Call {
  leads: SentLead[];
  /** Creates each lead with its own id, and lets the next call begin. */
  end(distributes?: boolean): void;
}

/** A batcher whose calls the test completes, and its calls so far. */
function batcherWith(waitMs?: number): { batcher: LeadBatcher; calls: Call[] } {
  const calls: Call[] = [];
  const ingest = (leads: SentLead[]) => {
    const { promise, resolve } = Promise.withResolvers<StoredLead[]>();
    calls.push({ leads, end: (distributes = true) => resolve(leads.map((lead) => created(lead, distributes))) });
    return promise;
  };
  return { batcher: new LeadBatcher({ ingest }, waitMs), calls };
}

function created({ lead: { id } }: SentLead, isDistributed = false): StoredLead {
  return { id, status: "created", distributed_to: isDistributed ? { agency_id: "a", agent_id: null } : null };
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
    vendor: { id: vendor, credential: webhook ? { key_hash: null, webhook } : { key_hash: "h", webhook: null } },
    lead: { id: crypto.randomUUID(), first_name: "Ada", vendor_lead_id, vendor_metadata: metadata, resume_path: null },
    idempotency: key === undefined ? null : { key, part: 0, request_hash: "" },
  };
}

const some = (count: number, vendor?: string) => Array.from({ length: count }, () => lead(vendor));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const sizes = (calls: Call[]) => calls.map(({ leads }) => leads.length);

/** Adds leads and ignores their results. */
function add(batcher: LeadBatcher, leads: SentLead[]): void {
  for (const sent of leads) batcher.store(sent).catch(() => {});
}

/** Waits until this many calls have begun. */
async function begun(calls: Call[], count: number): Promise<void> {
  for (let waits = 0; calls.length < count && waits < 500; waits++) await pause(2);
  assert.equal(calls.length, count);
}

/** Completes the calls one after the other. */
async function endAll(calls: Call[], distributes?: boolean): Promise<void> {
  for (let ended = 0;; ended++) {
    for (let waits = 0; calls.length === ended && waits < 20; waits++) await pause(1);
    if (calls.length === ended) return;
    calls[ended]!.end(distributes);
  }
}

Deno.test("a single lead is sent immediately, and leads that arrive during its call share the next call", async () => {
  const { batcher, calls } = batcherWith();
  const first = batcher.store(lead());
  await begun(calls, 1);

  const others = [...some(3), ...some(2, "w")].map((sent) => batcher.store(sent));
  await pause(20);
  assert.deepEqual(sizes(calls), [1]);
  calls[0]!.end();
  await first;
  await begun(calls, 2);
  assert.deepEqual(sizes(calls), [1, 5]);
  calls[1]!.end();
  assert.equal(new Set((await Promise.all(others)).map(({ id }) => id)).size, 5);
});

Deno.test("each lead gets its own result, even if others of its call are refused", async () => {
  const batcher = new LeadBatcher({
    ingest: (leads) =>
      Promise.resolve(leads.map((sent, n) => n === 1 ? { error: { code: "PT409", message: "busy" } } : created(sent))),
  });
  const sent = some(3);
  const [first, second, third] = await Promise.allSettled(sent.map((one) => batcher.store(one)));
  assert.deepEqual(first, { status: "fulfilled", value: created(sent[0]!) });
  assert.equal(second?.status === "rejected" && second.reason.code, "CONFLICT");
  assert.deepEqual(third, { status: "fulfilled", value: created(sent[2]!) });
});

Deno.test("a call takes at most 100 leads, and at most 1 MiB unless a single lead is larger", async () => {
  const { batcher, calls } = batcherWith();
  add(batcher, some(250));
  await endAll(calls);
  assert.deepEqual(sizes(calls), [100, 100, 50]);

  const large = batcherWith();
  const text = "x".repeat(400_000);
  add(large.batcher, [text, text, text, text.repeat(5), "x"].map((note) => lead("v", { metadata: { note } })));
  await endAll(large.calls);
  assert.deepEqual(sizes(large.calls), [2, 1, 1, 1]);
});

Deno.test("vendors take turns: a burst of 1,000 leads does not delay another vendor's lead", async () => {
  const { batcher, calls } = batcherWith();
  add(batcher, some(1_000, "burst"));
  await begun(calls, 1);
  add(batcher, [...some(1, "small"), ...some(60, "medium")]);
  await endAll(calls);
  const second = calls[1]!.leads.map(({ vendor }) => vendor.id);
  assert.deepEqual(second.slice(0, 3).sort(), ["burst", "medium", "small"]);
  assert.equal(second.length, 100);
  assert(second.filter((id) => id === "medium").length >= 49);
  assert.equal(calls.flatMap(({ leads }) => leads).length, 1_061);
});

Deno.test("leads with the same id, Idempotency-Key or delivery never share a call, and follow each other", async () => {
  for (
    const [what, options] of [
      ["vendor_lead_id", { vendor_lead_id: "a" }],
      ["Idempotency-Key", { key: "a" }],
      ["delivery", { delivery: { id: "a", part: 0 } }],
    ] as const
  ) {
    const { batcher, calls } = batcherWith();
    const same = Array.from({ length: 3 }, () => lead("v", options));
    add(batcher, [same[0]!, lead(), same[1]!, same[2]!, lead("w", options)]);
    await begun(calls, 1);
    calls[0]!.end(false);
    await begun(calls, 2);
    // A second call may begin beside it, but not with a lead of the same id.
    add(batcher, some(1));
    await begun(calls, 3);
    assert.deepEqual(sizes(calls), [3, 1, 1]);
    await endAll(calls);
    const ids = calls.map(({ leads }) => leads.map(({ lead }) => lead.id));
    assert(ids[0]!.includes(same[0]!.lead.id));
    assert.deepEqual(ids[1], [same[1]!.lead.id]);
    assert.deepEqual(ids[3], [same[2]!.lead.id], what);
  }
});

Deno.test("a lead waits for every earlier lead with which it shares an id", async () => {
  const { batcher, calls } = batcherWith();
  const [a, b, both] = [
    lead("v", { vendor_lead_id: "a" }),
    lead("v", { key: "k" }),
    lead("v", { vendor_lead_id: "a", key: "k" }),
  ];
  add(batcher, [a, b, both]);
  await begun(calls, 1);
  assert.deepEqual(calls[0]!.leads.map(({ lead }) => lead.id), [a.lead.id, b.lead.id]);
  await pause(5);
  assert.equal(calls.length, 1);
  calls[0]!.end();
  await begun(calls, 2);
  assert.deepEqual(calls[1]!.leads.map(({ lead }) => lead.id), [both.lead.id]);
  calls[1]!.end();
});

Deno.test("the leads of one delivery share a call, because each is a separate part", async () => {
  const { batcher, calls } = batcherWith();
  add(batcher, [0, 1, 2].map((part) => lead("v", { delivery: { id: "d", part } })));
  add(batcher, [0, 1].map((part) => lead("v", { delivery: { id: null, part } })));
  await endAll(calls);
  assert.deepEqual(sizes(calls), [5]);
});

Deno.test("a second call begins beside a slow one that distributes nothing, and a third does not", async () => {
  const { batcher, calls } = batcherWith();
  add(batcher, some(1));
  await begun(calls, 1);
  calls[0]!.end(false);
  for (const count of [2, 3]) {
    add(batcher, some(1));
    await begun(calls, count);
  }
  add(batcher, some(1));
  await pause(20);
  assert.equal(calls.length, 3);
  calls[1]!.end(false);
  await begun(calls, 4);
  await endAll(calls.slice(2), false);
});

Deno.test("a second call begins beside a distributing one that seems to hang", async () => {
  const { batcher, calls } = batcherWith();
  add(batcher, some(1));
  await begun(calls, 1);
  calls[0]!.end(true);
  add(batcher, some(1));
  await begun(calls, 2);
  add(batcher, some(4));
  await pause(20);
  assert.equal(calls.length, 2);
  await begun(calls, 3);
  assert.deepEqual(sizes(calls), [1, 1, 4]);
  await endAll(calls.slice(1));
});

Deno.test("a lead that waits too long for its call is INTERNAL_ERROR, and is no longer sent", async () => {
  const { batcher, calls } = batcherWith(30);
  const first = batcher.store(lead("v", { vendor_lead_id: "a" }));
  await begun(calls, 1);
  const late = [batcher.store(lead()), batcher.store(lead("v", { vendor_lead_id: "a" }))];
  for (const one of late) await assert.rejects(one, { code: "INTERNAL_ERROR" });

  // Even then, no other lead with the id shares a call with the first.
  add(batcher, [lead("v", { vendor_lead_id: "a" })]);
  calls[0]!.end();
  await first;
  await begun(calls, 2);
  assert.deepEqual(sizes(calls), [1, 1]);
  calls[1]!.end();
});

const fault = internalError(new Error("the database"));
/** A call of the database whose response was lost. */
const lost = databaseError("", "", "", true);
/** A call that the database refused as a whole. */
const refused = databaseError("23514", "a bad row");

/** The calls of a database in which each lead is pending and on disk. */
const WORKING: typeof STORE_CALLS = {
  ingest: (leads) => Promise.resolve(leads.map((sent) => ({ ...created(sent), distribution: "pending" }))),
  abandon: (id) => Promise.resolve({ [id]: { id, status: "created", distributed_to: null } }),
  waitForDistribution: () => Promise.resolve({ distribution: "unmatched", distributed_to: null }),
  distributeAfterResponse: () => {},
};

/** Makes a call throw, synchronously or as a rejection. */
function throwing(error: unknown) {
  return [() => Promise.reject(error), () => {
    throw error;
  }];
}

Deno.test("each request gets a response, whatever a database call throws, and the next lead is stored", async () => {
  const errors = [fault, lost, refused, new TypeError("our mistake"), "no error at all"];
  for (const first of ["ingest", "waitForDistribution"] as const) {
    for (const error of errors) {
      for (const [way, call] of throwing(error).entries()) {
        for (const abandon of [WORKING.abandon, ...throwing(fault), () => Promise.resolve({})]) {
          const calls: typeof STORE_CALLS = { ...WORKING, [first]: call, abandon };
          const batcher = new LeadBatcher({
            ingest: (leads) => calls.ingest(leads),
            abandon: (id) => calls.abandon(id),
            waitForDistribution: (id) => calls.waitForDistribution(id),
          });
          const same = { vendor_lead_id: "same" };
          const sent = [...some(20), ...Array.from({ length: 3 }, () => lead("v", same))];
          const responses = Promise.allSettled(sent.map((one) => batcher.store(one)));
          const ended = await Promise.race([responses, pause(4_000)]);
          assert(ended, `${first} ${way}: a request waits`);
          Object.assign(calls, WORKING);
          assert.equal((await batcher.store(lead("v", same))).status, "created");
        }
      }
    }
  }
});

Deno.test("an error after the response affects only that request", async () => {
  const distributeAfterResponse = () => {
    throw fault;
  };
  const abandon = (id: string) =>
    Promise.resolve({ [id]: { ...created(lead()), id, distribution: "pending" as const } });
  let isFirst = true;
  const ingest = (leads: SentLead[]) => {
    if (!isFirst) return Promise.resolve(leads.map((sent) => created(sent)));
    isFirst = false;
    return Promise.reject(lost);
  };
  const batcher = new LeadBatcher({ ...WORKING, ingest, abandon, distributeAfterResponse });
  await assert.rejects(batcher.store(lead()), fault);
  assert.equal((await batcher.store(lead())).status, "created");
});

Deno.test("a call that is refused as a whole is repeated lead by lead, and the next call does not wait", async () => {
  const sent = some(100);
  const bad = sent[40]!;
  const sizes: number[] = [];
  const ingest = (leads: SentLead[]) => {
    sizes.push(leads.length);
    return leads.some(({ lead: { id } }) => id === bad.lead.id)
      ? Promise.reject(refused)
      : Promise.resolve(leads.map((one) => created(one)));
  };
  const batcher = new LeadBatcher({ ...WORKING, ingest });
  const ended = await Promise.allSettled(sent.map((one) => batcher.store(one)));
  assert.deepEqual(ended.map(({ status }) => status === "fulfilled"), sent.map((one) => one !== bad));
  assert.deepEqual([sizes.length, sizes[0], Math.max(...sizes.slice(1))], [101, 100, 1]);
});

Deno.test("a lead lost in a crash is sent once more, and is not lost silently", async () => {
  let calls = 0;
  const ingest = (leads: SentLead[]) => (calls++, WORKING.ingest(leads));
  const gone = () => Promise.resolve({ distribution: null, distributed_to: null });
  const lostTwice = new LeadBatcher({ ...WORKING, ingest, waitForDistribution: gone });
  await assert.rejects(lostTwice.store(lead("v", { vendor_lead_id: "a" })), { code: "INTERNAL_ERROR" });
  assert.equal(calls, 2);

  const lostOnce = new LeadBatcher({
    ...WORKING,
    ingest,
    waitForDistribution: (id) => calls === 3 ? gone() : WORKING.waitForDistribution(id),
  });
  const again = lead("v", { vendor_lead_id: "a" });
  assert.deepEqual(await lostOnce.store(again), created(again));
  assert.equal(calls, 4);
});

Deno.test("if it is unknown whether a lead is stored, the error says whether it may be sent again", async () => {
  const batcher = new LeadBatcher({
    ...WORKING,
    ingest: () => Promise.reject(lost),
    abandon: () => Promise.reject(fault),
  });
  const may = /may have been stored/;
  await assert.rejects(batcher.store(lead()), (error: ApiError) => {
    return may.test(error.message) && error.details?.[0]?.code === "MAY_HAVE_BEEN_STORED";
  });
  for (const one of [lead("v", { vendor_lead_id: "a" }), lead("v", { key: "k" })]) {
    await assert.rejects(
      batcher.store(one),
      (error: ApiError) => !may.test(error.message) && error.details === undefined,
    );
  }
});
