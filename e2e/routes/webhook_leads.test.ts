/** Webhook deliveries with several leads, or with none. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { assertError, assertResponse, assertStored, createOrder, send, sql, storedLeads } from "../support/client.ts";
import { functionWith } from "../support/function.ts";
import { createWebhook, deliver, proofOf, rejected, type Webhook } from "../support/webhooks.ts";
import { withFetch } from "../../dev/testing/faults/responses.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

const IGNORED = { status: "ignored" };

/** The part of the response about one of several leads. */
interface Result {
  id?: string;
  status?: string;
}

const statusesOf = (results: Result[]) => results.map(({ status }) => status);

/** Has a vendor's payloads read by a mapping. */
async function useMapping({ id }: Webhook, config: object): Promise<void> {
  await sql`
    update public.vendors set parser = 'mapping', parser_config = ${sql.json(config as never)}
    where id = ${id}`;
}

Deno.test("of several leads each is stored by itself; a bad one is kept and can be replayed", async () => {
  const webhook = await createWebhook("standard");
  const { agency_id } = await createOrder(webhook);
  const id = crypto.randomUUID();
  const leads = [
    { first_name: "Ann", vendor_lead_id: "1" },
    { vendor_lead_id: "2", email: "ben@example.com" },
    "no lead",
    { first_name: "Ann", vendor_lead_id: "1" },
    { first_name: "Cleo" },
    { first_name: "Cleo" },
  ];
  const { results } = assertResponse(await deliver(webhook, leads, { id }), 200);
  assert.deepEqual(
    statusesOf(results).sort(),
    ["created", "created", "created", "duplicate", undefined, undefined],
  );
  assert.equal(results[0].id, results[3].id);
  assert.equal(results[4].distributed_to.agency_id, agency_id);
  assert.deepEqual([results[1], results[2]], [
    { error: { code: "BAD_REQUEST", message: MISSING_FIRST_NAME } },
    { error: { code: "BAD_REQUEST", message: "the lead must be a JSON object" } },
  ]);
  const kept = await rejected(webhook);
  assert.deepEqual(
    kept.map((each) => [each.row, each.code, each.reason, each.payload, each.vendor_lead_id]),
    [
      [1, "BAD_REQUEST", MISSING_FIRST_NAME, leads[1], "2"],
      [2, "BAD_REQUEST", "the lead must be a JSON object", "no lead", null],
    ],
  );

  const again = await deliver(webhook, leads, { id });
  assert.deepEqual(
    again.body.results.map(({ id, status }: Result) => [id, status]),
    results.map(({ id }: Result) => [id, id && "duplicate"]),
  );
  await assertStored(webhook, 3);

  await useMapping(webhook, { fields: { first_name: "email", vendor_lead_id: "vendor_lead_id" } });
  const replayed = await adminJson(`delivery replay ${kept[0]!.id}`);
  assert.equal(replayed.status, "created");
  const ben = { first_name: "Ben", email: "ben@example.com" };
  const corrected = leads.map((lead, row) => row === 1 ? ben : lead);
  const late = await deliver(webhook, corrected, { id });
  assert.deepEqual(late.body.results[1], { id: replayed.lead_id, status: "duplicate" });
  const listed = await adminJson(`delivery list --vendor ${webhook.slug} --status replayed`);
  assert.deepEqual(listed.map(({ route }: { route: string }) => route), [
    "/recruiting/webhooks/:slug",
  ]);
});

Deno.test("the leads that a mapping finds in a body are stored, and one is replayed whatever ignore_when says of bodies", async () => {
  const config = {
    ignore_when: "!entries",
    leads: "entries",
    fields: { full_name: "who", vendor_lead_id: "ref" },
  };
  const webhook = await createWebhook("header", { parser: "mapping", config });
  const entry = { ref: "2" };
  const { body } = await deliver(webhook, { entries: [{ ref: "1", who: "Ann Lee" }, entry] });
  assert.deepEqual(statusesOf(body.results), ["created", undefined]);
  assertResponse(await deliver(webhook, { ping: true }), 200, IGNORED);
  const [kept, ...others] = await rejected(webhook);
  const { row, vendor_lead_id, payload } = kept!;
  assert.deepEqual([row, vendor_lead_id, payload, others.length], [1, "2", entry, 0]);

  const fields = { ...config.fields, first_name: { const: "Unknown" } };
  await useMapping(webhook, { ...config, fields });
  assert.equal((await adminJson(`delivery replay ${kept!.id}`)).status, "created");
});

/**
 * A signed text, and bodies with other bytes that the same signature proves: some characters stand for their escapes.
 */
const SIGNED = String.raw`[{"first_name": "Zo\u00eb", "city": "K\u00f6ln"}, {"first_name": "Ann"}]`;
const REPLAYED: [string, ...string[]] = [
  SIGNED.replace(String.raw`\u00eb`, "ë"),
  SIGNED.replace(String.raw`\u00f6`, "ö"),
  SIGNED.replace(String.raw`\u00eb`, "ë").replace(String.raw`\u00f6`, "ö"),
];

Deno.test("several leads are stored once, whichever form of the signed text comes first and again", async () => {
  for (
    const [scheme, first, ...others] of [["meta", SIGNED, ...REPLAYED], ["standard", ...REPLAYED, SIGNED]] as const
  ) {
    const webhook = await createWebhook(scheme);
    const { path, headers } = proofOf(webhook, SIGNED);
    const { results } = (await send(path, { headers, body: first })).body;
    assert.deepEqual(statusesOf(results), ["created", "created"]);
    const duplicates = results.map(({ id }: Result) => ({ id, status: "duplicate" }));
    for (const body of [first, ...others]) {
      assertResponse(await send(path, { headers, body }), 200, { results: duplicates });
    }
    await assertStored(webhook, 2);
  }
});

Deno.test("an Idempotency-Key belongs to the text that was signed, whichever form of it comes", async () => {
  const webhook = await createWebhook("linkedin");
  const proof = proofOf(webhook, SIGNED);
  const headers = { ...proof.headers, "idempotency-key": crypto.randomUUID() };
  const first = await send(proof.path, { headers, body: SIGNED });
  for (const body of REPLAYED) {
    assertResponse(await send(proof.path, { headers, body }), 200, first.body);
  }
  await assertStored(webhook, 2);
  const other = SIGNED.replace("Ann", "Bob");
  const signed = { ...headers, ...proofOf(webhook, other).headers };
  const reused = await send(proof.path, { headers: signed, body: other });
  assertError(reused, 422, "IDEMPOTENCY_KEY_REUSED", /another body/);
});

Deno.test("a body with more than 1,000 leads is refused whole", async () => {
  const webhook = await createWebhook();
  const leads = Array.from({ length: 1_001 }, () => ({}));
  assertError(await deliver(webhook, leads), 413, "PAYLOAD_TOO_LARGE", /1000 leads/);
  const [whole, ...others] = await rejected(webhook);
  assert.equal(others.length, 0);
  assertRefused(await admin(`delivery replay ${whole!.id}`), 1, /whole request of several leads/);
  assertResponse(await deliver(webhook, []), 200, { results: [] });
});

Deno.test("an event that is not a new application is ignored and not kept, but LinkedIn's notice of a lead to fetch is", async () => {
  const greenhouse = await createWebhook("greenhouse", { parser: "greenhouse" });
  const payload = { application: { id: 1, candidate: { first_name: "Ann" } } };
  assertResponse(await deliver(greenhouse, { action: "reject_candidate", payload }), 200, IGNORED);
  assert.equal((await rejected(greenhouse)).length, 0);
  await assertStored(greenhouse, 0);

  const linkedin = await createWebhook("linkedin", { parser: "linkedin" });
  for (const leadAction of ["CREATED", "DELETED"]) {
    const leadGenFormResponse = "urn:li:leadGenFormResponse:52dc-4";
    const notice = { type: "LEAD_ACTION", leadAction, leadGenFormResponse };
    assertResponse(await deliver(linkedin, notice), 200, IGNORED);
  }
  const kept = await rejected(linkedin);
  assert.deepEqual(kept.map(({ vendor_lead_id }) => vendor_lead_id), ["52dc-4"]);
  assert.match(kept[0]!.reason, /leadFormResponses/);
});

Deno.test("fault: when the database fails in the middle of several leads, sending them again stores each once", async () => {
  const recruiting = await functionWith("recruiting", {});
  const webhook = await createWebhook();
  const leads = Array.from({ length: 120 }, (_, n) => ({ first_name: `Ann ${n}` }));
  const body = JSON.stringify(leads);
  const { path, headers } = proofOf(webhook, body);
  const post = () => recruiting(path, { headers, body });

  let calls = 0;
  const response = await withFetch(async (fetch, input, init) => {
    const isStoring = String(input).endsWith("/rpc/ingest_recruiting_leads");
    if (!isStoring || ++calls === 1) return await fetch(input, init);
    const fault = { code: "XX000", message: "a fault", details: null, hint: null };
    return Response.json(fault, { status: 500 });
  }, post);
  assertError(response, 500, "INTERNAL_ERROR", /./);
  // As many as one call takes.
  assert.equal((await storedLeads(webhook)).length, 100);
  const kept = await rejected(webhook);
  assert.deepEqual(kept.map(({ code }) => code), Array(20).fill("INTERNAL_ERROR"));

  const { results } = assertResponse(await post(), 200);
  assert.deepEqual(
    statusesOf(results).sort(),
    [...Array(20).fill("created"), ...Array(100).fill("duplicate")],
  );
  await assertStored(webhook, 120);
});
