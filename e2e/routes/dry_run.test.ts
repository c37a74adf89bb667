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
  storedLeads,
  withKey,
} from "../support/client.ts";
import { routes } from "../support/routes.ts";
import { createConversation, messages, sendSigned } from "../support/sms.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

/** The number of deliveries that are kept with this id of a request. */
async function keptOf(requestId: string): Promise<number> {
  return (await sql`select from public.rejected_deliveries where request_id = ${requestId}`).length;
}

Deno.test("a dry run that is spelled wrong, or that a route does not have, is refused and leaves nothing", async () => {
  const [single, bulk, imported, log, webhook] = await routes();
  for (const { path, headers, body, stored } of [single, bulk, imported, log, webhook]) {
    const hasNone = path.startsWith("/api");
    for (const query of ["dryRun=true", "dry_run=yes", ...(hasNone ? ["dry_run=true"] : [])]) {
      const response = await send(`${path}${path.includes("?") ? "&" : "?"}${query}`, { headers, body });
      assertError(response, 400, "BAD_REQUEST", /dry_run/);
      assert.equal(await keptOf(response.body.request_id), 0, `${path} ${query}`);
    }
    assert.equal(await stored(), 0, path);
    assertError(await send(`${path}?dryRun=true`, { body }), 401, "UNAUTHORIZED", /./);
    if (!hasNone) continue;
    assert.equal((await send(`${path}?dry_run=false`, { headers, body })).status, 200);
    assert.equal(await stored(), 1);
  }
});

Deno.test("a text that is signed gets 200 and is stored, whatever the query has", async () => {
  const conversation = await createConversation();
  const { recruit: From, service: To } = conversation;
  const sent = await sendSigned("/recruiting/sms/inbound?dry_run=true", { From, To, Body: "Hi" });
  assertResponse(sent, 200, { status: "received" });
  assert.equal((await messages(conversation)).length, 1);
});

Deno.test("SPEC 4.2: a bulk request stores what its dry run shows: new leads, without resumes, duplicates and errors", async () => {
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
  const metadata = { state: "TX", resume_skipped: "bulk" };
  assert.deepEqual(read, [
    { ...{ row: 0, status: "created", id: null, ...nobody }, lead: lead("A", "1", metadata) },
    { row: 2, status: "duplicate", id: known.id, ...nobody, lead: lead("B", "known") },
    { row: 4, status: "duplicate", id: null, ...nobody, lead: lead("C", "1") },
    { row: 5, status: "created", id: null, ...nobody, lead: lead("D", null) },
    { row: 6, status: "created", id: null, ...nobody, lead: lead("D", null) },
  ]);
  await assertStored(vendor, 1);
  assert.equal(await keptOf(dry.headers.get("x-request-id")!), 0, "rows with errors are no rejected deliveries");
  const again = await sql`select from public.recruiting_lead_duplicates where vendor_id = ${vendor.id}`;
  assert.equal(again.length, 0, "duplicates are not recorded");

  assertResponse(await bulk("?dry_run=false"), 200, expected);
  await assertStored(vendor, 4, 0);
  const stored = (await storedLeads(vendor)).find(({ first_name }) => first_name === "A")!;
  assert.deepEqual([stored.resume_path, stored.vendor_metadata], [null, metadata]);
  assert.equal(await filledOf(order), 1, "bulk leads are not distributed");
});
