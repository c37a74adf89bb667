import assert from "node:assert/strict";
import { type RejectedDelivery, RejectedDeliveryWriter } from "./rejected_delivery_writer.ts";

/** A writer whose calls the test completes, with the size of each call and the requests that have their response. */
function startWriter(gatherMs?: number) {
  const calls: { deliveries: number; end(): void }[] = [];
  const responses: string[] = [];
  const writer = new RejectedDeliveryWriter((deliveries) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const isRefused = deliveries.some(({ reason }) => reason === "refused");
    calls.push({ deliveries: deliveries.length, end: isRefused ? () => reject(new Error()) : resolve });
    return promise;
  }, gatherMs);
  const write = (request_id: string, count = 1, reason = "x") => {
    void writer.write(some(count, request_id, reason)).then(() => responses.push(request_id));
  };
  return { calls, responses, write, sizes: () => calls.map(({ deliveries }) => deliveries) };
}

function some(count: number, request_id: string, reason: string): RejectedDelivery[] {
  return Array.from({ length: count }, () => ({
    ...{ request_id, route: "/", vendor_id: null, vendor_lead_id: null, row: null, code: "BAD_REQUEST", reason },
    ...{ payload: null, payload_text: null, payload_bytes: 1, context: {} },
  }));
}

/** Lets pending promises and zero-length timers run. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

Deno.test("deliveries that arrive during a call are written together by the next one", async () => {
  const { calls, write, sizes } = startWriter();
  write("a");
  write("b", 2);
  write("c");
  assert.deepEqual(sizes(), [1]);
  calls[0]!.end();
  await until(() => calls.length === 2);
  assert.deepEqual(sizes(), [1, 3]);
  calls[1]!.end();
});

Deno.test("a request waits for its own deliveries and not for later ones", async () => {
  const { calls, responses, write } = startWriter();
  write("a");
  write("b");
  calls[0]!.end();
  await turn();
  assert.deepEqual(responses, ["a"]);
  await until(() => calls.length === 2);
  calls[1]!.end();
  await turn();
  assert.deepEqual(responses, ["a", "b"]);
});

Deno.test("deliveries of senders that all send again are written together without a pause", async () => {
  const { calls, write, sizes } = startWriter(60_000);
  write("a", 3);
  calls[0]!.end();
  await turn();
  write("b", 2);
  assert.deepEqual(sizes(), [3]);
  write("c");
  await turn();
  assert.deepEqual(sizes(), [3, 3]);
});

Deno.test("a request with many deliveries has its response after its last call, even if one fails", async () => {
  const { calls, responses, write, sizes } = startWriter();
  write("a", 1_100, "refused");
  for (const call of [0, 1, 2]) {
    await until(() => calls.length === call + 1);
    assert.deepEqual(responses, []);
    calls[call]!.end();
    await turn();
  }
  assert.deepEqual([sizes(), responses], [[500, 500, 100], ["a"]]);
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}
