/** Leads of several requests that go to the database in one call. */
import assert from "node:assert/strict";
import { ingest } from "../support/applications.ts";
import {
  type ApiResponse,
  assertDailyCounts,
  assertStored,
  createOrder,
  createVendor,
  filledOf,
  sql,
  storedLeads,
  type Vendor,
} from "../support/client.ts";
import { ingestHere } from "../support/function.ts";
import { eventually } from "../support/processes.ts";
import { refusingLeads } from "../../dev/testing/faults/database.ts";
import { watchingLeadCalls } from "../../dev/testing/faults/responses.ts";

/**
 * Sends leads while as many calls are under way as there may be, so that they go together, in as few calls as possible.
 *
 * @param whileWaiting runs when all are on their way and none has been sent
 * @returns what `send` returned, and how many leads each call had
 */
async function together<Result>(
  send: () => Promise<Result>[],
  whileWaiting: () => Promise<unknown> = () => Promise.resolve(),
): Promise<{ responses: Result[]; calls: number[] }> {
  const calls: number[] = [];
  const held = Promise.withResolvers<void>();
  const hold = (leads: number) => {
    calls.push(leads);
    if (calls.length <= 2) return held.promise;
  };
  return await watchingLeadCalls(hold, async () => {
    const vendor = await createVendor();
    const first: Promise<ApiResponse>[] = [];
    for (const count of [1, 2]) {
      first.push(ingestHere(vendor, { first_name: "First" }));
      await eventually(5, () => assert.equal(calls.length, count));
    }
    const sent = send();
    await new Promise((resolve) => setTimeout(resolve, 300));
    await whileWaiting();
    held.resolve();
    for (const { status } of await Promise.all(first)) assert.equal(status, 201);
    return { responses: await Promise.all(sent), calls: calls.slice(2) };
  });
}

function many(vendor: Vendor, count: number): Promise<ApiResponse>[] {
  return Array.from({ length: count }, (_, n) => ingestHere(vendor, { first_name: `Ann ${n}` }));
}

Deno.test("a key that is revoked while its lead waits stores nothing, and the others of the call are stored", async () => {
  const vendors = await Promise.all([createVendor(), createVendor(), createVendor()]);
  const revoked = vendors[1]!;
  for (const vendor of vendors) await ingestHere(vendor, { first_name: "Before" });
  const { responses, calls } = await together(
    () => vendors.map((vendor) => ingestHere(vendor, { first_name: "Ada" })),
    () => sql`update public.vendor_api_keys set revoked_at = now() where vendor_id = ${revoked.id}`,
  );
  assert.deepEqual(calls, [3]);
  assert.deepEqual(responses.map(({ status }) => status), [201, 401, 201]);
  assert.equal(responses[1]!.body.error.code, "UNAUTHORIZED");
  const counts = await Promise.all(vendors.map(async (one) => (await storedLeads(one)).length));
  assert.deepEqual(counts, [2, 1, 2]);
});

Deno.test("a lead that the database alone refuses fails by itself, and the others of its call are stored", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  const { responses, calls } = await refusingLeads(() =>
    together(() => [...many(other, 7), ingestHere(vendor, { first_name: "Refused" })])
  );
  assert.equal(calls[0], 8);
  assert.deepEqual(responses.map(({ status }) => status), [...Array(7).fill(201), 500]);
  assert.equal(responses[7]!.body.error.code, "INTERNAL_ERROR");
  await assertStored(other, 7);
  await assertStored(vendor, 0);
});

Deno.test("race: two isolates that send the same leads in different calls store each once", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  const order = await createOrder(vendor, { agents: 3 });
  const ids = Array.from({ length: 40 }, (_, n) => `lead-${n}`);
  const lead = (vendor_lead_id: string) => ({ first_name: "Ada", vendor_lead_id });
  // One isolate is the stack's, the other the test's; in the second the leads are in another order.
  const responses = await Promise.all([
    ...ids.map((id) => ingest(vendor, lead(id))),
    ...many(other, 5),
    ...ids.toReversed().map((id) => ingestHere(vendor, lead(id))),
  ]);
  assert.deepEqual(responses.map(({ status }) => status).sort(), [...Array(40).fill(200), ...Array(45).fill(201)]);
  const stored = await storedLeads(vendor);
  assert.deepEqual(stored.map(({ vendor_lead_id }) => vendor_lead_id).sort(), ids.sort());
  assert(stored.every(({ order_id }) => order_id === order.id));
  const duplicates = await sql`
    select from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
  assert.deepEqual([await filledOf(order), duplicates.length], [40, 40]);
  await assertDailyCounts();
});
