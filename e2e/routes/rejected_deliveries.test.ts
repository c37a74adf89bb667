/**
 * What is rejected after its sender was authenticated is kept, and what is not rejected leaves no trace there.
 */
import assert from "node:assert/strict";
import { ingest, ingestBulk, PDF_BASE64 } from "../support/applications.ts";
import {
  type ApiResponse,
  assertResponse,
  atOnce,
  createOrder,
  createVendor,
  send,
  type Sent,
  sql,
  storedLeads,
  type Vendor,
  withKey,
} from "../support/client.ts";
import { createTarget, importLeads, lead } from "../support/leads.ts";
import { eventually } from "../support/processes.ts";
import { tableLock, whileHeld } from "../../dev/testing/faults/database.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

/** The deliveries of a request, in the order of their rows. */
function deliveries(requestId: string | null) {
  return sql`
    select * from public.rejected_deliveries where request_id = ${requestId} order by row, received_at`;
}

const requestId = ({ headers }: ApiResponse) => headers.get("x-request-id");

/** Sends a lead that is rejected, and returns the response with its deliveries. */
async function sendBad(vendor: Vendor, { body, headers }: Sent) {
  const response = await ingest(vendor, body, "", headers);
  // The response does not wait for a slow database.
  const rows = await eventually(20, async () => {
    const rows = await deliveries(requestId(response));
    assert.notEqual(rows.length, 0);
    return rows;
  });
  return { response, rows };
}

/** The requests that sent a lead again. */
async function sentAgain(lead: Record<string, string>): Promise<string[]> {
  const rows = await sql`
    select request_id from public.recruiting_lead_duplicates where lead_id = ${lead.id!}`;
  return rows.map(({ request_id }) => request_id);
}

Deno.test("a lead without first_name is kept as it was sent, and becomes a lead by a replay", async () => {
  const vendor = await createVendor();
  const { agency_id } = await createOrder(vendor);
  const body = { vendor_lead_id: "j-4711", name_first: "Ada", phone: "312 555 0101" };
  const headers = { "x-request-id": crypto.randomUUID() };
  const { response, rows: [row, ...others] } = await sendBad(vendor, { headers, body });
  assert.deepEqual([response.status, others.length], [400, 0]);
  const { id: _, request_id: __, received_at: ___, stored_bytes: ____, ...kept } = row!;
  assert.deepEqual(kept, {
    route: "/recruiting/ingest",
    vendor_id: vendor.id,
    vendor_lead_id: "j-4711",
    row: null,
    code: "BAD_REQUEST",
    reason: response.body.error.message,
    payload: body,
    payload_text: null,
    payload_bytes: JSON.stringify(body).length,
    context: {},
    status: "open",
    lead_id: null,
    resolved_at: null,
  });

  const [{ result }] = await sql<[{ result: { id: string; distributed_to: object } }]>`
    select public.replay_delivery(${row!.id}, '{"first_name": "Ada", "vendor_lead_id": "j-4711"}') as result`;
  assert.equal((result.distributed_to as { agency_id: string }).agency_id, agency_id);
  const [stored] = await storedLeads(vendor);
  assert.deepEqual(
    [stored!.id, stored!.received_via, stored!.request_id],
    [result.id, "replay", row!.request_id],
  );
});

Deno.test("a body of another type, or with a wrong header, is kept as JSON, so that it can be replayed, else as text", async () => {
  const vendor = await createVendor();
  const lead = { first_name: "Ada", vendor_lead_id: "1" };
  const json = JSON.stringify(lead);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const xml = { "content-type": "application/xml" };
  for (
    const [body, headers, status, code] of [
      ["first_name=Ada", {}, 400, "BAD_REQUEST"],
      ["<lead>Ada</lead>", xml, 415, "UNSUPPORTED_MEDIA_TYPE"],
      [json, form, 415, "UNSUPPORTED_MEDIA_TYPE"],
      [json, { "idempotency-key": "with a space" }, 400, "BAD_REQUEST"],
    ] as [string, Record<string, string>, number, string][]
  ) {
    const { response, rows: [row] } = await sendBad(vendor, { headers, body });
    assert.deepEqual([response.status, row!.code, row!.payload_bytes], [status, code, body.length]);
    assert.deepEqual(
      [row!.payload, row!.payload_text, row!.vendor_lead_id],
      body === json ? [lead, null, "1"] : [null, body, null],
    );
  }
});

Deno.test("the beginning of a body is kept that is too large, or a payload of more than 256 KiB without its files", async () => {
  const vendor = await createVendor();
  const large = `{"vendor_lead_id": "big", "text": "${"é".repeat(8 * 1024 * 1024)}"}`;
  const long = JSON.stringify({ vendor_lead_id: "long", notes: "word ".repeat(60_000) });
  for (const [body, status, id] of [[large, 413, null], [long, 400, "long"]] as const) {
    const { response, rows: [row] } = await sendBad(vendor, { body });
    assert.deepEqual([response.status, row!.payload, row!.vendor_lead_id], [status, null, id]);
    assert.equal(row!.payload_bytes, new TextEncoder().encode(body).length);
    assert(body.startsWith(row!.payload_text));
    const kept = new TextEncoder().encode(row!.payload_text).length;
    assert(kept > 255 * 1024 && kept <= 256 * 1024, String(kept));
  }
});

Deno.test("a file in a payload is replaced by its type and size, and a secret is left out, whatever the body's form", async () => {
  const vendor = await createVendor();
  const body = { vendor_lead_id: "f", resume: PDF_BASE64, google_key: "a secret" };
  const { rows: [kept] } = await sendBad(vendor, { body });
  assert.deepEqual(Object.keys(kept!.payload).sort(), ["resume", "vendor_lead_id"]);
  assert.equal(kept!.payload.resume.type, "application/pdf");
  for (
    const body of [
      '{"google_key": "a secret"} "name": "Ann"',
      '{"Google Key" : ["a\\" secret"], "name": "Ann"',
      "{'google\\u005fkey': 'a-secret', 'name': 'Ann'}",
      String.raw`{\"google_key\": \"a-secret\", \"name\": \"Ann\"}`,
      "lead[google%5Fkey]=a-secret&name=Ann",
      'form-data; name="google_key"\r\n\r\na-secret\r\n--b name=Ann',
      "<google-key>a-secret</google-key><name>Ann</name>",
    ]
  ) {
    const { rows: [row] } = await sendBad(vendor, { body });
    assert(!row!.payload_text.includes("secret"), row!.payload_text);
    assert(row!.payload_text.includes("Ann"), row!.payload_text);
  }
});

Deno.test("a vendor without a parser loses nothing: what it sent is kept", async () => {
  const vendor = await createVendor(null);
  const body = { first_name: "Ada" };
  const { response, rows: [row] } = await sendBad(vendor, { body });
  assert.deepEqual([response.status, row!.payload], [400, body]);
  assert.match(row!.reason, /no parser/);

  const bulk = await deliveries(requestId(await ingestBulk(vendor, { leads: [body] })));
  assert.deepEqual(bulk.map(({ row }) => row), [null]);
});

Deno.test("each rejected row of a bulk request is kept", async () => {
  const vendor = await createVendor();
  const leads = [
    { first_name: "Ada", vendor_lead_id: "1" },
    { vendor_lead_id: "2" },
    "no lead",
    { first_name: "Ada", vendor_lead_id: "1" },
  ];
  const response = await ingestBulk(vendor, { leads });
  assert.deepEqual([response.body.created, response.body.duplicates], [1, 1]);
  const rows = await deliveries(requestId(response));
  assert.deepEqual(
    rows.map((kept) => [kept.row, kept.code, kept.reason, kept.payload, kept.vendor_lead_id]),
    [
      [1, "BAD_REQUEST", MISSING_FIRST_NAME, leads[1], "2"],
      [2, "BAD_REQUEST", "the lead must be a JSON object", "no lead", null],
    ],
  );
  const [stored] = await storedLeads(vendor);
  assert.equal(stored!.received_via, "bulk");
  assert.deepEqual(await sentAgain(stored!), [requestId(response)]);
});

Deno.test("each rejected row of an import is kept with what a replay needs, a duplicate is not, and one that is refused as a whole is one delivery", async () => {
  const target = await createTarget();
  const good = lead();
  const { phone: _, ...bad } = lead();
  const response = await importLeads(target, [good, bad, good]);
  assert.deepEqual([response.body.imported, response.body.failed], [1, 2]);
  const rows = await deliveries(requestId(response));
  assert.equal(rows.length, 1);
  assert.partialDeepStrictEqual(rows[0]!, {
    vendor_id: null,
    row: 1,
    code: "INVALID",
    vendor_lead_id: bad.external_id,
  });
  const context = { ...target, distribution_id: null };
  assert.deepEqual([rows[0]!.payload, rows[0]!.context], [bad, context]);
  await sql`select public.replay_delivery(${rows[0]!.id}, ${sql.json({ ...bad, phone: "312 555 0101" } as never)})`;
  const [stored] = await sql`
    select agent_id from public.leads where external_id = ${bad.external_id as string}`;
  assert.equal(stored!.agent_id, target.agent_id);

  const unknown = { agency_id: crypto.randomUUID(), agent_id: crypto.randomUUID() };
  const whole = await deliveries(requestId(await importLeads(unknown, [lead()])));
  assert.deepEqual(whole.map(({ row, payload }) => [row, payload.agency_id]), [[null, unknown.agency_id]]);
});

Deno.test("strangers, accepted leads, duplicates, dry runs and unknown paths leave no rejected delivery", async () => {
  const vendor = await createVendor();
  const lead = { first_name: "Ada", vendor_lead_id: "1" };
  const post = (path: string, body: unknown, headers: Record<string, string> = withKey(vendor)) =>
    send(path, { headers, body });
  const responses = [
    await post("/recruiting/ingest", lead),
    await post("/recruiting/ingest", lead),
    await post("/recruiting/ingest?dry_run=true", {}),
    await post("/recruiting/ingest", {}, { authorization: "Bearer wrong" }),
    await post("/recruiting/ingest/bulk", {}, {}),
    await post("/recruiting/nothing", {}),
    await post("/api/leads/import", {}, { "x-api-key": "wrong" }),
    await send("/recruiting/ingest", { method: "GET", headers: withKey(vendor) }),
  ];
  const statuses = [201, 200, 400, 401, 401, 404, 401, 405];
  assert.deepEqual(responses.map(({ status }) => status), statuses);
  for (const response of responses) {
    assert.deepEqual([...await deliveries(requestId(response))], []);
  }
  const [stored] = await storedLeads(vendor);
  const [first, again] = responses.map(requestId);
  assert.deepEqual([stored!.received_via, stored!.request_id], ["single", first]);
  assert.deepEqual(await sentAgain(stored!), [again]);
});

Deno.test("a locked table of rejected deliveries neither fails a request nor holds it up for long", async () => {
  const vendor = await createVendor();
  await whileHeld(tableLock("public.rejected_deliveries"), async () => {
    const responses = await atOnce(20, () => ingest(vendor, {}));
    assert(responses.every(({ status }) => status === 400));
    assertResponse(await ingest(vendor, { first_name: "Ada" }), 201);
  });
  const { rows } = await sendBad(vendor, { body: {} });
  assert.equal(rows.length, 1);
});
