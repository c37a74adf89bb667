/** A function of the database that is not there for a moment, under load. */
import assert from "node:assert/strict";
import { ingest } from "../support/applications.ts";
import { createVendor, sql } from "../support/client.ts";
import { eventually } from "../support/processes.ts";
import { whileMissing } from "../../dev/testing/faults/database.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

Deno.test("every request has its response within 15 s while a function is missing, and what it says is so", async () => {
  const vendor = await createVendor();
  const responses = new Map<string, number>();
  let isOver = false;
  let longest = 0;
  const sender = async (_: unknown, sender: number) => {
    for (let n = 0; !isOver; n++) {
      const vendor_lead_id = `${sender} ${n}`;
      const startedAt = performance.now();
      const { status } = await ingest(vendor, { first_name: "Ann", vendor_lead_id });
      longest = Math.max(longest, performance.now() - startedAt);
      responses.set(vendor_lead_id, status);
      await pause(50);
    }
  };
  const failures = () => [...responses.values()].filter((status) => status === 500).length;
  const senders = Array.from({ length: 10 }, sender);
  await whileMissing("distribute_pending_leads", () => pause(1_000));
  await pause(500);
  assert.equal(failures(), 0, "a lead is stored without its distribution");
  await whileMissing("abandon_recruiting_leads", () => whileMissing("ingest_recruiting_leads", () => pause(1_500)));
  await pause(1_500);
  isOver = true;
  await Promise.all(senders);

  assert(longest < 15_000, `a request took ${Math.round(longest)} ms`);
  const rows = await sql`select vendor_lead_id from public.recruiting_leads where vendor_id = ${vendor.id}`;
  const stored = new Set(rows.map(({ vendor_lead_id }) => vendor_lead_id));
  for (const [id, status] of responses) {
    assert([201, 500].includes(status), `${status}`);
    assert.equal(stored.has(id), status === 201, `${id} has ${status}`);
  }
  assert(failures() > 0);
  // PostgREST reads again which functions there are: late on a busy machine.
  await eventually(10, async () => assert.equal((await ingest(vendor, { first_name: "Ann" })).status, 201));
});
