/**
 * What a 500 says of sending again is true: of leads without an id of the vendor, which nothing recognizes, each is
 * stored once after those with a 500 are sent again.
 */
import assert from "node:assert/strict";
import { ingest } from "./support/applications.ts";
import { type ApiResponse, createVendor, sql, storedLeads, type Vendor } from "./support/client.ts";
import { pidOf } from "./support/processes.ts";

const COUNT = 20;
const SEND_AGAIN = "the request could not be completed; send the same request again";

function sendAll(vendor: Vendor, names: string[]): Promise<ApiResponse[]> {
  return Promise.all(names.map((first_name) => ingest(vendor, { first_name })));
}

/** Sends leads, and again those that the responses say to send again; then each must be there once. */
async function assertStoredOnce(fault: (sent: Promise<unknown>) => Promise<void>): Promise<void> {
  const vendor = await createVendor();
  await ingest(vendor, { first_name: "before" });
  const names = Array.from({ length: COUNT }, (_, n) => `lead ${n}`);
  const sent = sendAll(vendor, names);
  await fault(sent);

  const again: string[] = [];
  for (const [n, { status, body }] of (await sent).entries()) {
    if (status === 201) continue;
    assert.equal(status, 500);
    assert.equal(body.error.message, SEND_AGAIN);
    again.push(names[n]!);
  }
  for (const { status } of await sendAll(vendor, again)) assert.equal(status, 201);

  // A call that came too late would store its lead by now.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const stored = (await storedLeads(vendor)).map(({ first_name }) => first_name as string);
  assert.deepEqual(stored.sort(), ["before", ...names].sort());
}

Deno.test("fault: while the table is locked for 5 s each lead is stored once, if those with a 500 are sent again", async () => {
  await assertStoredOnce(async () => {
    await sql.begin(async (transaction) => {
      await transaction`lock table public.recruiting_leads in access exclusive mode`;
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    });
  });
});

Deno.test("fault: while PostgREST hangs for 5 s each lead is stored once, if those with a 500 are sent again", async () => {
  const pid = pidOf("postgrest");
  await assertStoredOnce(async () => {
    Deno.kill(pid, "SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    Deno.kill(pid, "SIGCONT");
  });
});

Deno.test("fault: while PostgREST hangs for long the response says that the lead may have been stored, unless an id makes it safe to send it again", async () => {
  const vendor = await createVendor();
  await ingest(vendor, { first_name: "before" });
  const pid = pidOf("postgrest");
  Deno.kill(pid, "SIGSTOP");
  let responses: ApiResponse[];
  try {
    responses = await Promise.all([
      ingest(vendor, { first_name: "A" }),
      ingest(vendor, { first_name: "B", vendor_lead_id: "b" }),
    ]);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  const [without, withId] = responses as [ApiResponse, ApiResponse];
  assert.deepEqual([without.status, withId.status], [500, 500]);
  assert.match(without.body.error.message, /may have been stored/);
  assert.equal(withId.body.error.message, SEND_AGAIN);

  const { status } = await ingest(vendor, { first_name: "B", vendor_lead_id: "b" });
  assert([200, 201].includes(status));
  const stored = (await storedLeads(vendor)).filter(({ vendor_lead_id }) => vendor_lead_id === "b");
  assert.equal(stored.length, 1);
});
