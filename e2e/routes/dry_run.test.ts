/** `?dry_run` on every route: where there is a dry run it stores nothing, and elsewhere it is refused. */
import assert from "node:assert/strict";
import { ingest, PDF_BASE64 } from "../support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  createOrder,
  createVendor,
  filledOf,
  send,
  sql,
  withKey,
} from "../support/client.ts";
import { routes } from "../support/routes.ts";
import { createConversation, messages, sendSigned } from "../support/sms.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

const WRONG = [
  "dryRun=true",
  "dry-run=true",
  "DRY_RUN=true",
  "dryrun=false",
  "Dry_Run",
  "d-r-y-run=1",
  "dry_run=yes",
  "dry_run=",
  "dry_run=TRUE",
  "dry_run=false&dry_run=true",
  "dry_run=true&dryRun=true",
];

/** The number of deliveries that are kept with this id of a request. */
async function keptOf(requestId: string): Promise<number> {
  return (await sql`select from public.rejected_deliveries where request_id = ${requestId}`).length;
}

Deno.test("a dry run that is spelled wrong is refused by its name on every route, and leaves nothing", async () => {
  const [single, bulk, imported, log, webhook] = await routes();
  for (const { path, headers, body, stored } of [single, bulk, imported, log, webhook]) {
    const before = await stored();
    for (const wrong of WRONG) {
      const response = await send(`${path}${path.includes("?") ? "&" : "?"}${wrong}`, { headers, body });
      assertError(response, 400, "BAD_REQUEST", /dry_run/);
      assert.equal(await keptOf(response.body.request_id), 0, `${path} ${wrong}`);
    }
    assert.equal(await stored(), before, path);
    assertError(await send(`${path}?dryRun=true`, { body }), 401, "UNAUTHORIZED", /./);
  }
});

Deno.test("where there is no dry run, dry_run=true is refused, and dry_run=false changes nothing", async () => {
  const [, , imported, log] = await routes();
  for (const { path, headers, body, stored } of [imported, log]) {
    assertError(await send(`${path}?dry_run=true`, { headers, body }), 400, "BAD_REQUEST", /^dry_run: /);
    assert.equal(await stored(), 0, path);
    assertResponse(await send(`${path}?dry_run=false`, { headers, body }), 200);
    assert.equal(await stored(), 1, path);
  }
});

Deno.test("a text that is signed gets 200 and is stored, whatever the query has", async () => {
  for (const query of ["dry_run=true", "dryRun=true"]) {
    const conversation = await createConversation();
    const { recruit: From, service: To } = conversation;
    const sent = await sendSigned(`/recruiting/sms/inbound?${query}`, { From, To, Body: "Hi" });
    assertResponse(sent, 200, { status: "received" });
    assert.equal((await messages(conversation)).length, 1);
  }
});

Deno.test("a dry run of a bulk request shows each row and the counts, and stores nothing", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor);
  const known = assertResponse(await ingest(vendor, { first_name: "Old", vendor_lead_id: "known" }), 201);
  const leads = [
    { first_name: "A", vendor_lead_id: "1", state: "tx", resume: PDF_BASE64 },
    { last_name: "Nameless", vendor_lead_id: "2" },
    { first_name: "B", vendor_lead_id: "known" },
    "not a lead",
    { first_name: "C", vendor_lead_id: "1" },
    { first_name: "D" },
    { first_name: "D" },
  ];
  const bulk = (query: string) =>
    send(`/recruiting/ingest/bulk${query}`, { headers: withKey(vendor), body: { leads } });
  const dry = await bulk("?dry_run=true");
  const { leads: read, ...counts } = assertResponse(dry, 200);
  const expected = {
    created: 3,
    duplicates: 2,
    errors: [
      { row: 1, reason: MISSING_FIRST_NAME },
      { row: 3, reason: "the lead must be a JSON object" },
    ],
  };
  assert.deepEqual(counts, { dry_run: true, ...expected });
  const lead = (first_name: string, vendor_lead_id: string | null, vendor_metadata: object = {}) => {
    return { first_name, vendor_lead_id, vendor_metadata, resume_bytes: null };
  };
  const nobody = { distributed_to: null };
  assert.deepEqual(read, [
    {
      ...{ row: 0, status: "created", id: null, ...nobody },
      lead: lead("A", "1", { state: "TX", resume_skipped: "bulk" }),
    },
    { row: 2, status: "duplicate", id: known.id, ...nobody, lead: lead("B", "known") },
    { row: 4, status: "duplicate", id: null, ...nobody, lead: lead("C", "1") },
    { row: 5, status: "created", id: null, ...nobody, lead: lead("D", null) },
    { row: 6, status: "created", id: null, ...nobody, lead: lead("D", null) },
  ]);
  await assertStored(vendor, 1);
  assert.equal(await filledOf(order), 1);
  assert.equal(await keptOf(dry.headers.get("x-request-id")!), 0, "rows with errors are no rejected deliveries");
  const [{ again }] = await sql<[{ again: number }]>`
    select count(*)::int as again from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
  assert.equal(again, 0, "duplicates are not recorded");

  assertResponse(await bulk("?dry_run=false"), 200, expected);
});

Deno.test("a dry run of a bulk request does not use an Idempotency-Key up, and counts for the rate limit", async () => {
  const vendor = await createVendor();
  await sql`update public.vendors set rate_limit = 2 where id = ${vendor.id}`;
  const headers = { ...withKey(vendor), "idempotency-key": crypto.randomUUID() };
  const bulk = (query: string, first_name = "A") =>
    send(`/recruiting/ingest/bulk${query}`, { headers, body: { leads: [{ first_name }] } });
  assertResponse(await bulk("?dry_run=true"), 200);
  assertResponse(await bulk("", "B"), 200, { created: 1, duplicates: 0, errors: [] });
  assertError(await bulk("?dry_run=true"), 429, "TOO_MANY_REQUESTS", /a minute/);
});
