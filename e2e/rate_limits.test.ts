import assert from "node:assert/strict";
import {
  type ApiResponse,
  assertError,
  createVendor,
  send,
  sql,
  stack,
  type Vendor,
  withKey,
} from "./support/client.ts";
import { functionWith } from "./support/function.ts";
import { createTarget, importLeads, lead } from "./support/leads.ts";

async function createLimitedVendor(rateLimit: number): Promise<Vendor> {
  const vendor = await createVendor();
  await sql`update public.vendors set rate_limit = ${rateLimit} where id = ${vendor.id}`;
  return vendor;
}

function ingest(vendor: Vendor, body: unknown = { first_name: "A" }): Promise<ApiResponse> {
  return send("/recruiting/ingest", { headers: withKey(vendor), body });
}

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
  const responses = await Promise.all(Array.from({ length: 40 }, () => ingest(vendor)));
  const passed = responses.filter(({ status }) => status === 201);
  assert.equal(passed.length, 10);
  responses.filter(({ status }) => status !== 201).forEach(assertTooMany);
  const [{ count }] = await sql<[{ count: number }]>`
    select count(*)::int from public.recruiting_leads where vendor_id = ${vendor.id}`;
  assert.equal(count, 10);
});

Deno.test("a vendor's requests count together: every key, both routes, refused ones too", async () => {
  const vendor = await createLimitedVendor(4);
  const [{ key }] = await sql<[{ key: string }]>`
    select public.create_vendor_api_key(${vendor.slug}, 'second') as key`;
  assert.equal((await ingest(vendor)).status, 201);
  assert.equal((await ingest({ ...vendor, key })).status, 201);
  assertError(await ingest(vendor, "not JSON"), 400, "BAD_REQUEST", /JSON/);
  const bulk = { headers: withKey(vendor), body: { leads: [{ first_name: "A" }] } };
  assert.equal((await send("/recruiting/ingest/bulk", bulk)).status, 200);
  assertTooMany(await send("/recruiting/ingest/bulk", bulk));
  assertTooMany(await ingest({ ...vendor, key }));
});

Deno.test("after the minute the vendor may send again", async () => {
  const vendor = await createLimitedVendor(1);
  assert.equal((await ingest(vendor)).status, 201);
  assertTooMany(await ingest(vendor));
  await endMinute(`vendor ${vendor.id}`);
  assert.equal((await ingest(vendor)).status, 201);
});

Deno.test("one vendor's limit is no other's, and nothing is counted without a limit", async () => {
  const [limited, free] = [await createLimitedVendor(1), await createVendor()];
  await ingest(limited);
  assertTooMany(await ingest(limited));
  for (let n = 0; n < 3; n++) assert.equal((await ingest(free)).status, 201);
  const rows = await sql`
    select from private.request_counts where bucket = ${`vendor ${free.id}`}`;
  assert.equal(rows.length, 0);
});

Deno.test("LEADS_IMPORT_RATE_LIMIT: imports beyond it are refused before the body is read", async () => {
  const api = await functionWith("api", { LEADS_IMPORT_RATE_LIMIT: "2" });
  const target = await createTarget();
  const request = (body: string) =>
    api("/api/leads/import", {
      method: "POST",
      headers: { "x-api-key": stack.leads_import_api_key },
      body,
    });
  await sql`delete from private.request_counts where bucket = 'import'`;
  const body = JSON.stringify({ ...target, leads: [lead()] });
  assert.equal((await request(body)).status, 200);
  assert.equal((await request("not JSON")).status, 400);
  const refused = await request("not JSON");
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get("retry-after") ?? "", /^([1-9]|[1-5][0-9]|60)$/);
});

Deno.test("LEADS_IMPORT_RATE_LIMIT: a value that is no limit is an error, and never no limit", async () => {
  const errors: string[] = [];
  const log = console.error;
  console.error = (line: string) => errors.push(line);
  try {
    for (const value of ["0", "-1", "ten", "1.5"]) {
      const api = await functionWith("api", { LEADS_IMPORT_RATE_LIMIT: value });
      const { status } = await api("/api/leads/import", {
        method: "POST",
        headers: { "x-api-key": stack.leads_import_api_key },
        body: "{}",
      });
      assert.equal(status, 500);
      assert.match(errors.pop() ?? "", /LEADS_IMPORT_RATE_LIMIT must be a whole number/);
    }
  } finally {
    console.error = log;
  }
});

Deno.test("LOG_ACTIVITY_RATE_LIMIT: a lead never has more activities a minute, however many come at once", async () => {
  const api = await functionWith("api", { LOG_ACTIVITY_RATE_LIMIT: "5" });
  const target = await createTarget();
  const { body } = await importLeads(target, [lead(), lead()]);
  const [lead_id, other_id] = body.lead_ids;
  const log = (lead_id: string, agent_id = target.agent_id) =>
    api("/api/leads/log-presentation-activity", {
      method: "POST",
      headers: { apikey: stack.anon_key },
      body: JSON.stringify({ lead_id, agent_id, type: "presentation_resumed" }),
    });
  const responses = await Promise.all(Array.from({ length: 30 }, () => log(lead_id)));
  const statuses = responses.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 5);
  assert.equal(statuses.filter((status) => status === 429).length, 25);
  const refused = responses.find(({ status }) => status === 429)!;
  assert.match(refused.headers.get("retry-after") ?? "", /^([1-9]|[1-5][0-9]|60)$/);
  const rows = await sql`select from public.lead_activities where lead_id = ${lead_id}`;
  assert.equal(rows.length, 5);

  assert.equal((await log(other_id)).status, 200, "another lead has a limit of its own");
  for (
    const stranger of [await log(lead_id, crypto.randomUUID()), await log(crypto.randomUUID())]
  ) {
    assert.equal(stranger.status, 404, "NOT_FOUND comes before 429, whoever the lead belongs to");
  }
});

Deno.test("wrong keys, however many, keep out no key that is right", async () => {
  const recruiting = await functionWith("recruiting", {});
  const show = async (key: string) => {
    const response = await recruiting("/recruiting/ingest", {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ first_name: "A" }),
    });
    await response.body?.cancel();
    return response.status;
  };
  const guesses = await Promise.all(Array.from({ length: 400 }, (_, n) => show(`guess-${n}`)));
  assert.deepEqual([...new Set(guesses)], [401]);
  assert.equal(await show((await createVendor()).key), 201);
  assert.equal(await show("guess"), 401);
});
