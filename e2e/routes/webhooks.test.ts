/** Deliveries to webhooks: repeated ones, forms, and what is the same as on ingest. */
import assert from "node:assert/strict";
import { downloadResume, PDF_BASE64 } from "../support/applications.ts";
import { assertError, assertResponse, assertStored, atOnce, PDF, sql, storedLeads } from "../support/client.ts";
import { createWebhook, deliver, rejected } from "../support/webhooks.ts";

Deno.test("a delivery of Standard Webhooks that is repeated or stale makes no second lead or resume", async () => {
  const webhook = await createWebhook("standard");
  const id = crypto.randomUUID();
  const lead = { first_name: "Ann", resume: PDF_BASE64 };
  const responses = await atOnce(20, () => deliver(webhook, lead, { id }));
  const [created, ...others] = responses.toSorted((a, b) => b.status % 400 - a.status % 400);
  assert.equal(created!.status, 201);
  const duplicate = { id: created!.body.id, status: "duplicate" };
  for (const response of others) {
    if (response.status === 409) assert.equal(response.body.error.code, "CONFLICT");
    else assertResponse(response, 200, duplicate);
  }
  const again = await deliver(webhook, lead, { id, at: new Date(Date.now() - 200_000) });
  assertResponse(again, 200, duplicate);
  for (const seconds of [-400, 400]) {
    const at = new Date(Date.now() + seconds * 1_000);
    assertError(await deliver(webhook, lead, { at }), 401, "UNAUTHORIZED", /./);
  }
  await assertStored(webhook, 1, 1);
  assert.equal((await deliver(webhook, lead)).status, 201, "another delivery of the same");
});

Deno.test("without an id of the delivery an Idempotency-Key counts, as on ingest", async () => {
  const webhook = await createWebhook();
  const headers = { "idempotency-key": crypto.randomUUID() };
  const first = assertResponse(await deliver(webhook, { first_name: "Ann" }, { headers }), 201);
  assertResponse(await deliver(webhook, { first_name: "Ann" }, { headers }), 201, first);
  const other = await deliver(webhook, { first_name: "Ben" }, { headers });
  assertError(other, 422, "IDEMPOTENCY_KEY_REUSED", /another body/);
  const blank = { headers: { "idempotency-key": " " } };
  assertResponse(await deliver(webhook, { first_name: "Ben" }, blank), 400);
  await assertStored(webhook, 1);

  const several = { headers: { "idempotency-key": crypto.randomUUID() } };
  assertResponse(await deliver(webhook, [{ first_name: "Ann" }, {}], several), 200);
  const kept = await rejected(webhook);
  assertResponse(await deliver(webhook, [{}, { first_name: "Ben" }, {}], several), 422);
  assert.deepEqual(await rejected(webhook), kept, "no lead of a delivery that was rejected whole is kept by itself");
});

Deno.test("a form, and a multipart form with a resume, are leads", async () => {
  const webhook = await createWebhook("standard");
  const form = new URLSearchParams([
    ["first_name", "Ana María"],
    ["license", "Life"],
    ["license", "Health"],
    ["__proto__", "x"],
  ]).toString();
  const urlEncoded = { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" };
  assert.equal((await deliver(webhook, form, { headers: urlEncoded })).status, 201);
  const [first] = await storedLeads(webhook);
  assert.equal(first!.first_name, "Ana María");
  assert.deepEqual(first!.vendor_metadata.vendor_fields.license, ["Life", "Health"]);

  const parts = new FormData();
  parts.append("full_name", "Ben Okoye");
  parts.append("resume", new File([PDF], "cv.pdf", { type: "application/pdf" }));
  const request = new Request("http://localhost/", { method: "POST", body: parts });
  const multipart = { "content-type": request.headers.get("content-type")! };
  const sent = await deliver(webhook, await request.bytes(), { headers: multipart });
  assert.equal(sent.status, 201, JSON.stringify(sent.body));
  const [lead] = await sql`select * from public.recruiting_leads where id = ${sent.body.id}`;
  assert.equal(lead!.first_name, "Ben");
  assert.deepEqual(await downloadResume(lead!.resume_path), PDF);

  const nobody = `last_name=Lee&resume=${encodeURIComponent(PDF_BASE64)}`;
  const refused = await deliver(webhook, nobody, { headers: urlEncoded });
  assertError(refused, 400, "BAD_REQUEST", /first_name/);
  const xml = { "content-type": "application/xml" };
  assert.equal((await deliver(webhook, "<lead/>", { headers: xml })).status, 415);
  const [nameless, unread] = await sql`
    select * from public.rejected_deliveries where vendor_id = ${webhook.id} order by received_at`;
  assert.equal(nameless!.payload.last_name, "Lee");
  assert.equal(nameless!.payload.resume.type, "application/pdf");
  assert.deepEqual([unread!.code, unread!.payload_text], ["UNSUPPORTED_MEDIA_TYPE", "<lead/>"]);
});

Deno.test("deliveries count against the vendor's rate limit, and those of strangers do not", async () => {
  const webhook = await createWebhook();
  await sql`update public.vendors set rate_limit = 2 where id = ${webhook.id}`;
  for (let n = 0; n < 3; n++) {
    assertResponse(await deliver({ ...webhook, secret: "wrong" }, {}), 401);
  }
  assertResponse(await deliver(webhook, {}), 400);
  assertResponse(await deliver(webhook, { first_name: "Ann" }), 201);
  const refused = await deliver(webhook, { first_name: "Ben" });
  assertError(refused, 429, "TOO_MANY_REQUESTS", /a minute/);
  assert.match(refused.headers.get("retry-after")!, /^([1-9]|[1-5]\d|60)$/);
});

Deno.test("with ?dry_run=true a delivery changes nothing", async () => {
  const webhook = await createWebhook();
  const one = await deliver(webhook, { first_name: "Ann" }, { query: "dry_run=true" });
  assert.deepEqual([one.status, one.body.dry_run, one.body.lead.first_name], [200, true, "Ann"]);
  const several = await deliver(webhook, [{ first_name: "Ann" }, {}], { query: "dry_run=true" });
  assert.deepEqual([several.status, several.body.results[0].status], [200, "created"]);
  assert.equal(several.body.results[1].error.code, "BAD_REQUEST");
  const form = { headers: { "content-type": "text/html" }, query: "dry_run=true" };
  assert.equal((await deliver(webhook, "first_name=Ann", form)).status, 415);
  assert.equal((await deliver(webhook, {}, { query: "dry_run=yes" })).status, 400);
  await assertStored(webhook, 0);
  assert.equal((await rejected(webhook)).length, 0, "a replay would store what was only tried");
});
