import assert from "node:assert/strict";
import { ingest as post, ingestBulk, PDF_BASE64 } from "../support/applications.ts";
import {
  type ApiResponse,
  assertError,
  assertResponse,
  assertStored,
  atOnce,
  createOrder,
  createVendor,
  filledOf,
  sql,
  stack,
  storedLeads,
  storedResumes,
  type Vendor,
} from "../support/client.ts";
import { createActivity, createTarget, lead, logActivity, sendImport } from "../support/leads.ts";
import { createWebhook, deliver } from "../support/webhooks.ts";

const newKey = () => crypto.randomUUID();
const withIdempotency = (key: string) => ({ "idempotency-key": key });

const ingest = (vendor: Vendor, key: string, body: unknown = { first_name: "Ada" }, query = "") =>
  post(vendor, body, query, withIdempotency(key));
const bulk = (vendor: Vendor, key: string, leads: unknown[]) => ingestBulk(vendor, { leads }, withIdempotency(key));
const importWith = (key: string, body: object) => sendImport(body, withIdempotency(key));
const log = (key: string, body: object) => logActivity(body, { apikey: stack.anon_key, ...withIdempotency(key) });

/** The kept responses of a vendor's requests to ingest. */
function kept(vendor: Vendor) {
  return sql<{ key: string }[]>`
    select key from private.idempotency_keys where scope = ${`ingest ${vendor.id}`}`;
}

/** Asserts that two responses are the same to the caller. */
const assertSame = (repeated: ApiResponse, first: ApiResponse) => assertResponse(repeated, first.status, first.body);

/** Asserts that a key is refused because its first request had other bytes. */
function assertReused(response: ApiResponse): void {
  assertError(response, 422, "IDEMPOTENCY_KEY_REUSED", /Idempotency-Key.*another/);
}

Deno.test("ingest: the same key gives the first response again, and one lead with one resume", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const [key, body] = [newKey(), { first_name: "Ada", vendor_lead_id: "1", resume: PDF_BASE64 }];
  const first = await ingest(vendor, key, body);
  assert.equal(first.status, 201);
  assert.equal(first.body.distributed_to.agency_id, order.agency_id);
  assertSame(await ingest(vendor, key, body), first);
  await assertStored(vendor, 1, 1);
  const [stored] = await storedLeads(vendor);
  assert.deepEqual(await storedResumes(vendor), [stored!.resume_path]);
  assert.equal(await filledOf(order), 1);

  // A kept duplicate is a response like any other.
  const other = newKey();
  const duplicate = await ingest(vendor, other, body);
  assert.deepEqual([duplicate.status, duplicate.body.status], [200, "duplicate"]);
  assertSame(await ingest(vendor, other, body), duplicate);
});

Deno.test("race: 20 equal requests with one key and no vendor_lead_id make one lead", async () => {
  const vendor = await createVendor();
  await createOrder(vendor);
  const key = newKey();
  const responses = await atOnce(20, () => ingest(vendor, key));
  const created = responses.filter(({ status }) => status === 201);
  assert(created.length >= 1);
  for (const response of created) assertSame(response, created[0]!);
  for (const response of responses.filter(({ status }) => status !== 201)) {
    assertError(response, 409, "CONFLICT", /still at work/);
  }
  await assertStored(vendor, 1);
  assertSame(await ingest(vendor, key), created[0]!);
});

Deno.test("every route gives a completed key's response again", async () => {
  const vendor = await createVendor();
  const [target, activity, webhook] = [await createTarget(), await createActivity(), await createWebhook()];
  const deliverAs = (key: string, body: unknown) => deliver(webhook, body, { headers: withIdempotency(key) });
  const routes: ((key: string) => Promise<ApiResponse>)[] = [
    (key) => ingest(vendor, key),
    (key) => bulk(vendor, key, [{ first_name: "A" }, { last_name: "B" }]),
    (key) => importWith(key, { ...target, leads: [] }),
    (key) => log(key, activity),
    (key) => deliverAs(key, { first_name: "A" }),
    (key) => deliverAs(key, [{ first_name: "B" }, { first_name: "C" }]),
  ];
  for (const route of routes) {
    const key = newKey();
    const first = await route(key);
    for (const response of await atOnce(3, () => route(key))) assertSame(response, first);
  }
  await assertStored(webhook, 3);
  await assertStored(vendor, 2);
  const logged = await sql`select from public.lead_activities where lead_id = ${activity.lead_id}`;
  assert.equal(logged.length, 1);
});

Deno.test("while a transaction works on a key, the same key is a CONFLICT and does not wait", async () => {
  const vendor = await createVendor();
  const [key, body] = [newKey(), '{"first_name":"Ada"}'];
  await sql.begin(async (transaction) => {
    const first = { key, part: 0, request_hash: "that of the first request" };
    await transaction`
      select private.find_idempotent_result(${`ingest ${vendor.id}`}, ${transaction.json(first)})`;
    assertError(await ingest(vendor, key, body), 409, "CONFLICT", /Idempotency-Key/);
    assert.equal((await ingest(vendor, newKey(), body)).status, 201, "another key");
  });
  assert.equal((await ingest(vendor, key, body)).status, 201, "the first request has failed");
});

Deno.test("a key belongs to its caller, its route and its bytes: others are IDEMPOTENCY_KEY_REUSED and store nothing", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  const key = newKey();
  const first = await ingest(vendor, key, '{"first_name":"Ada"}');
  for (const body of ['{"first_name":"Bob"}', '{"first_name": "Ada"}']) assertReused(await ingest(vendor, key, body));
  await assertStored(vendor, 1);
  assert.notEqual((await ingest(other, key)).body.id, first.body.id);
  assert.equal((await bulk(vendor, key, [{ first_name: "Ada" }])).body.created, 1);
});

Deno.test("a revoked key stops at once, although its vendor is cached: it gets UNAUTHORIZED, not the kept response", async () => {
  const vendor = await createVendor();
  const key = newKey();
  await ingest(vendor, key);
  await sql`update public.vendor_api_keys set revoked_at = now() where vendor_id = ${vendor.id}`;
  for (const sent of [key, newKey()]) assertError(await ingest(vendor, sent), 401, "UNAUTHORIZED", /key/);
  await assertStored(vendor, 1);
});

Deno.test("neither an error nor a dry run uses the key up", async () => {
  const vendor = await createVendor();
  const key = newKey();
  assertError(await ingest(vendor, key, { last_name: "A" }), 400, "BAD_REQUEST", /first_name/);
  assert.equal((await ingest(vendor, key, { first_name: "A" }, "?dry_run=true")).status, 200);
  assert.equal((await ingest(vendor, key, { first_name: "B" })).status, 201);
});

Deno.test("a key that is not 1 to 255 visible ASCII characters is BAD_REQUEST", async () => {
  const vendor = await createVendor();
  for (const key of ["", "two words", "é", "x".repeat(256)]) {
    assertError(await ingest(vendor, key), 400, "BAD_REQUEST", /Idempotency-Key/);
  }
  assert.equal((await ingest(vendor, "x".repeat(255))).status, 201);
  await assertStored(vendor, 1);
});

Deno.test("a key may be used again after 24 hours, and expired keys are removed", async () => {
  const vendor = await createVendor();
  const key = newKey();
  const first = await ingest(vendor, key);
  const expire = () =>
    sql`update private.idempotency_keys set created_at = now() - interval '24 hours'
        where scope = ${`ingest ${vendor.id}`}`;
  await expire();
  const second = await ingest(vendor, key);
  assert.equal(second.status, 201);
  assert.notEqual(second.body.id, first.body.id);
  await expire();
  for (let n = 0; n < 3; n++) await ingest(vendor, newKey());
  assert.equal((await kept(vendor)).filter((left) => left.key === key).length, 0);
  const before = (await kept(vendor)).length;
  await post(vendor, { first_name: "A" });
  assert.equal((await kept(vendor)).length, before, "nothing is kept for a request without the header");
});

Deno.test("import: the same key gives the first response again, also where a fault has left only some of its parts", async () => {
  const target = await createTarget();
  const body = { ...target, leads: [...Array.from({ length: 2_100 }, () => lead()), { first_name: "no id" }] };
  const key = newKey();
  const first = await importWith(key, body);
  assert.deepEqual([first.body.imported, first.body.failed], [2_100, 1]);
  assertSame(await importWith(key, body), first);
  // As after a function that died between two parts: one part is there with its leads, and the others are not.
  await sql`
    delete from public.leads where agency_id = ${target.agency_id}
      and id not in (
        select (i ->> 'id')::uuid
        from private.idempotency_keys k, jsonb_array_elements(k.result -> 'imported') i
        where k.key = ${key} and k.part = 0)`;
  await sql`delete from private.idempotency_keys where key = ${key} and part > 0`;
  const repeated = await importWith(key, body);
  assert.deepEqual([repeated.body.imported, repeated.body.failed], [2_100, 1]);
  assert.deepEqual(repeated.body.lead_ids.slice(0, 100), first.body.lead_ids.slice(0, 100));
});
