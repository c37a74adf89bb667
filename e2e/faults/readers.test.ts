/** Users who read as fast as they can take neither the vendors' turn nor their colleagues'. */
import assert from "node:assert/strict";
import { readTooMuch } from "../../dev/testing/faults/readers.ts";
import { type SignedIn, signInNewAgent } from "../support/agents.ts";
import { ingest } from "../support/applications.ts";
import { createAgency, createOrder, createVendor, sql, stack } from "../support/client.ts";

const vendor = await createVendor();

/** An agent of an agency of its own, who has 1,000 recruits. */
async function signInReader(): Promise<SignedIn> {
  const { id: agency_id } = await createAgency();
  const agent = await signInNewAgent(agency_id);
  await sql`
    insert into public.recruiting_leads
      (vendor_id, agency_id, agent_id, first_name, vendor_metadata, distribution, received_via)
    select ${vendor.id}, ${agency_id}, ${agent.agent_id}, 'Ada', '{"state": "IL"}', 'not_requested', 'single'
    from generate_series(1, 1000)`;
  return agent;
}

/** Opens the colleague's inbox, and asks again as the desk does. */
async function openInbox({ token }: SignedIn): Promise<void> {
  for (;;) {
    const headers = { apikey: stack.publishable_key, authorization: `Bearer ${token}` };
    const response = await fetch(`${stack.api_url}/rest/v1/inbox?select=id&limit=50`, { headers });
    await response.body?.cancel();
    if (response.status === 200) return;
    assert.equal(response.status, 429);
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(response.headers.get("retry-after"))));
  }
}

Deno.test("fault: while four logins read as fast as they can, each lead is stored and a colleague has the inbox", async () => {
  await createOrder(vendor, { quantity: 1_000 });
  const readers = await Promise.all(Array.from({ length: 4 }, signInReader));
  const colleague = await signInNewAgent((await createAgency()).id);
  await sql`analyze public.recruiting_leads`;

  const reading = readTooMuch(stack, readers.map(({ token }) => token), 6, 2);
  let isReading = true;
  void reading.finally(() => isReading = false);
  const done = { leads: 0, inboxes: 0 };
  const opening = (async () => {
    while (isReading) {
      await openInbox(colleague);
      if (isReading) done.inboxes++;
    }
  })();
  while (isReading) {
    assert.equal((await ingest(vendor, { first_name: "Ada" })).status, 201);
    if (isReading) done.leads++;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await opening;
  assert(done.leads > 0 && done.inboxes > 0, JSON.stringify(done));

  const refused = (await reading).filter(({ status }) => status === 429);
  assert(refused.length > 0);
  assert.deepEqual([...new Set(refused.map(({ retryAfter }) => retryAfter))], ["1"]);
});
