import assert from "node:assert/strict";
import { ingest, ingestBulk } from "../support/applications.ts";
import {
  type ApiResponse,
  assertError,
  assertResponse,
  assertStored,
  atOnce,
  createVendor,
  sql,
  stack,
  type Vendor,
} from "../support/client.ts";
import { consoleOf, functionWith } from "../support/function.ts";
import { createTarget, importLeads, lead } from "../support/leads.ts";

async function createLimitedVendor(rateLimit: number): Promise<Vendor> {
  const vendor = await createVendor();
  await sql`update public.vendors set rate_limit = ${rateLimit} where id = ${vendor.id}`;
  return vendor;
}

const LEAD = { first_name: "A" };
const IMPORT_KEY = { "x-api-key": stack.leads_import_api_key };

function assertTooMany(response: ApiResponse): void {
  assertError(response, 429, "TOO_MANY_REQUESTS", /a minute/);
  const seconds = Number(response.headers.get("retry-after"));
  assert(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
}

/** The rows that count requests, so that a test can end the present minute. */
async function endMinute(bucket: string): Promise<void> {
  const { count } = await sql`
    update private.request_counts set window_start = window_start - interval '1 minute'
    where bucket = ${bucket}`;
  assert.equal(count, 1);
}

Deno.test("race: of 40 requests at once, exactly as many as the vendor's limit pass", async () => {
  const vendor = await createLimitedVendor(10);
  const responses = await atOnce(40, () => ingest(vendor, LEAD));
  const passed = responses.filter(({ status }) => status === 201);
  assert.equal(passed.length, 10);
  responses.filter(({ status }) => status !== 201).forEach(assertTooMany);
  await assertStored(vendor, 10);
});

Deno.test("a vendor's requests of a minute count together: every key, both routes, refused and dry ones too", async () => {
  const [vendor, free] = [await createLimitedVendor(5), await createVendor()];
  const [{ key }] = await sql<[{ key: string }]>`
    select public.create_vendor_api_key(${vendor.slug}, 'second') as key`;
  assertResponse(await ingest(vendor, LEAD), 201);
  assertResponse(await ingest({ ...vendor, key }, LEAD), 201);
  assertResponse(await ingest(vendor, LEAD, "?dry_run=true"), 200);
  assertError(await ingest(vendor, "not JSON"), 400, "BAD_REQUEST", /JSON/);
  assertResponse(await ingestBulk(vendor, { leads: [LEAD] }), 200);
  assertTooMany(await ingestBulk(vendor, { leads: [LEAD] }));
  assertTooMany(await ingest({ ...vendor, key }, LEAD));
  // Another vendor has no part in it, and without a limit nothing is counted.
  assertResponse(await ingest(free, LEAD), 201);
  assert.equal((await sql`select from private.request_counts where bucket = ${`vendor ${free.id}`}`).length, 0);

  await endMinute(`vendor ${vendor.id}`);
  assertResponse(await ingest(vendor, LEAD), 201);
});

Deno.test("LEADS_IMPORT_RATE_LIMIT: imports beyond it are refused before the body is read", async () => {
  const api = await functionWith("api", { LEADS_IMPORT_RATE_LIMIT: "2" });
  const target = await createTarget();
  const request = (body: unknown) => api("/api/leads/import", { headers: IMPORT_KEY, body });
  await sql`delete from private.request_counts where bucket = 'import'`;
  assertResponse(await request({ ...target, leads: [lead()] }), 200);
  assertResponse(await request("not JSON"), 400);
  assertTooMany(await request("not JSON"));
});

Deno.test("LEADS_IMPORT_RATE_LIMIT: a value that is not a limit is an error, and never no limit", async () => {
  for (const value of ["0", "-1", "ten", "1.5"]) {
    const api = await functionWith("api", { LEADS_IMPORT_RATE_LIMIT: value });
    const lines = await consoleOf(async () => {
      assertResponse(await api("/api/leads/import", { headers: IMPORT_KEY, body: {} }), 500);
    });
    assert.match(lines.join(), /LEADS_IMPORT_RATE_LIMIT must be a whole number/);
  }
});

Deno.test("LOG_ACTIVITY_RATE_LIMIT: a lead never has more activities a minute, however many come at once", async () => {
  const api = await functionWith("api", { LOG_ACTIVITY_RATE_LIMIT: "5" });
  const target = await createTarget();
  const { body } = await importLeads(target, [lead(), lead()]);
  const [lead_id, other_id] = body.lead_ids;
  const log = (lead_id: string, agent_id = target.agent_id) =>
    api("/api/leads/log-presentation-activity", {
      headers: { apikey: stack.anon_key },
      body: { lead_id, agent_id, type: "presentation_resumed" },
    });
  const responses = await atOnce(30, () => log(lead_id));
  const refused = responses.filter(({ status }) => status !== 200);
  assert.equal(refused.length, 25);
  refused.forEach(assertTooMany);
  const rows = await sql`select from public.lead_activities where lead_id = ${lead_id}`;
  assert.equal(rows.length, 5);

  assert.equal((await log(other_id)).status, 200, "another lead has a limit of its own");
  // NOT_FOUND comes before 429, for a lead of any agent.
  assertResponse(await log(lead_id, crypto.randomUUID()), 404);
  assertResponse(await log(crypto.randomUUID()), 404);
});

Deno.test("wrong keys, however many, keep out no key that is right", async () => {
  const recruiting = await functionWith("recruiting", {});
  const show = async (key: string) => {
    const headers = { authorization: `Bearer ${key}` };
    return (await recruiting("/recruiting/ingest", { headers, body: LEAD })).status;
  };
  const guesses = await atOnce(150, (n) => show(`guess-${n}`));
  assert.deepEqual([...new Set(guesses)], [401]);
  assert.equal(await show((await createVendor()).key), 201);
  assert.equal(await show("guess"), 401);
});
