/**
 * What is rejected after its sender was authenticated is kept, and what is not rejected leaves no trace there.
 */
import assert from "node:assert/strict";
import {
  createOrder,
  createVendor,
  PDF,
  send,
  type Sent,
  sql,
  stack,
  storedLeads,
  type Vendor,
  withKey,
} from "./support/client.ts";
import { createTarget, importLeads, lead } from "./support/leads.ts";

/** The deliveries of a request, in the order of their rows. */
function deliveries(requestId: string | null) {
  return sql`
    select * from public.rejected_deliveries where request_id = ${requestId} order by row, received_at`;
}

/** Sends a request that is refused, and returns the response with its deliveries. */
async function refuse(path: string, vendor: Vendor, sent: Sent) {
  const headers = { ...withKey(vendor), ...sent.headers };
  const response = await send(path, { ...sent, headers });
  return { response, rows: await deliveries(response.headers.get("x-request-id")) };
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

Deno.test("100 MiB of a vendor are kept: the oldest go when another is rejected", async () => {
  const [vendor, other] = [await createVendor(), await createVendor()];
  // 449 payloads of 256 KiB, as JSON and as text, are 112 MiB.
  await sql`
    insert into public.rejected_deliveries (
      request_id, route, vendor_id, code, reason, payload_bytes, received_at, payload, payload_text)
    select n, '/recruiting/ingest', v, 'BAD_REQUEST', 'x', 1, now() - n * interval '1 second',
      case when n % 2 = 0 then to_jsonb(repeat('x', 262142)) end,
      case when n % 2 = 1 then repeat('x', 262144) end
    from generate_series(1, 449) n, unnest(${[vendor.id, other.id]}::uuid[]) v`;
  const { rows } = await refuse("/recruiting/ingest", vendor, { body: { email: "a@example.com" } });
  assert.equal(rows.length, 1);

  const kept = await sql`
    select vendor_id, count(*)::int as entries,
      sum(octet_length(coalesce(payload::text, payload_text)))::int as bytes, max(request_id::int) as oldest
    from public.rejected_deliveries
    where vendor_id in (${vendor.id}, ${other.id}) and request_id ~ '^[0-9]+$'
    group by vendor_id order by entries`;
  const [bounded, untouched] = kept;
  assert.deepEqual([bounded!.entries, bounded!.oldest], [399, 399]);
  assert(bounded!.bytes <= 100 * 1024 * 1024);
  assert.equal(untouched!.entries, 449, "another vendor's stay");
  await sql`delete from public.rejected_deliveries where vendor_id in (${vendor.id}, ${other.id})`;
});

Deno.test("a lead without first_name is kept as it was sent, and becomes a lead by a replay", async () => {
  const vendor = await createVendor();
  const { agency_id } = await createOrder(vendor);
  const body = { vendor_lead_id: "j-4711", name_first: "Ada", phone: "312 555 0101" };
  const { response, rows } = await refuse("/recruiting/ingest", vendor, {
    headers: { "x-request-id": crypto.randomUUID() },
    body,
  });
  assert.equal(response.status, 400);
  const [row] = rows;
  assert.equal(rows.length, 1);
  const { route, vendor_id, vendor_lead_id, code, reason, payload, payload_text, status } = row!;
  assert.deepEqual(
    { route, vendor_id, vendor_lead_id, code, reason, payload, payload_text, status },
    {
      route: "/recruiting/ingest",
      vendor_id: vendor.id,
      vendor_lead_id: "j-4711",
      code: "BAD_REQUEST",
      reason: response.body.error.message,
      payload: body,
      payload_text: null,
      status: "open",
    },
  );
  assert.equal(row!.row, null);
  assert.equal(row!.payload_bytes, JSON.stringify(body).length);

  const [{ result }] = await sql<[{ result: { id: string; distributed_to: object } }]>`
    select public.replay_delivery(${
    row!.id
  }, '{"first_name": "Ada", "vendor_lead_id": "j-4711"}') as result`;
  assert.equal((result.distributed_to as { agency_id: string }).agency_id, agency_id);
  const [stored] = await storedLeads(vendor);
  assert.deepEqual(
    [stored!.id, stored!.received_via, stored!.request_id],
    [result.id, "replay", row!.request_id],
  );
});

for (
  const [name, sent, code, status] of [
    ["a body that is not JSON", { body: "first_name=Ada" }, "BAD_REQUEST", 400],
    [
      "a body of another type",
      { headers: { "content-type": "application/xml" }, body: "<lead>Ada</lead>" },
      "UNSUPPORTED_MEDIA_TYPE",
      415,
    ],
  ] as [string, Sent, string, number][]
) {
  Deno.test(`${name} is kept as text`, async () => {
    const vendor = await createVendor();
    const { response, rows } = await refuse("/recruiting/ingest", vendor, sent);
    assert.equal(response.status, status);
    const [row] = rows;
    assert.deepEqual(
      [row!.code, row!.payload, row!.payload_text, row!.payload_bytes],
      [code, null, sent.body, (sent.body as string).length],
    );
  });
}

for (
  const [name, headers, status] of [
    ["of another type", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["with a wrong header", { "idempotency-key": "with a space" }, 400],
  ] as [string, Record<string, string>, number][]
) {
  Deno.test(`a JSON body ${name} is kept as JSON, so that it can be replayed`, async () => {
    const vendor = await createVendor();
    const lead = { first_name: "Ada", vendor_lead_id: "1" };
    const body = JSON.stringify(lead);
    const { response, rows } = await refuse("/recruiting/ingest", vendor, { headers, body });
    assert.equal(response.status, status);
    assert.deepEqual([rows[0]!.payload, rows[0]!.payload_text], [lead, null]);
    assert.equal(rows[0]!.vendor_lead_id, "1");
  });
}

Deno.test("the beginning of a body that is too large is kept, and its size", async () => {
  const vendor = await createVendor();
  const body = `{"vendor_lead_id": "big", "text": "${"é".repeat(8 * 1024 * 1024)}"}`;
  const { response, rows } = await refuse("/recruiting/ingest", vendor, { body });
  assert.equal(response.status, 413);
  const [row] = rows;
  assert.equal(row!.code, "PAYLOAD_TOO_LARGE");
  assert.equal(row!.payload_bytes, new TextEncoder().encode(body).length);
  assert(row!.payload_text.startsWith('{"vendor_lead_id": "big", "text": "ééé'));
  assert(new TextEncoder().encode(row!.payload_text).length <= 256 * 1024);
});

Deno.test("the beginning of a payload of 1 MB without files is kept", async () => {
  const vendor = await createVendor();
  const { rows } = await refuse("/recruiting/ingest", vendor, {
    body: { vendor_lead_id: "long", notes: "word ".repeat(200_000) },
  });
  const [row] = rows;
  assert.equal(row!.payload, null);
  assert.equal(row!.vendor_lead_id, "long");
  assert.equal(row!.payload_text.length, 256 * 1024);
  assert(row!.payload_bytes > 1_000_000);
});

Deno.test("a file in a payload is replaced by its type and size, and a secret is left out", async () => {
  const vendor = await createVendor();
  const resume = toBase64(PDF);
  const { rows } = await refuse("/recruiting/ingest", vendor, {
    body: {
      vendor_lead_id: "f",
      resume,
      google_key: "a secret",
      more: [{ googleKey: "a secret" }],
    },
  });
  const { type, bytes } = rows[0]!.payload.resume;
  assert.equal(type, "application/pdf");
  assert(Math.abs(bytes - PDF.length) < 4);
  assert.deepEqual(rows[0]!.payload.more, [{}]);
  const text = JSON.stringify(rows[0]);
  assert(!text.includes("a secret"));
  assert(!text.includes(resume.slice(0, 40)));

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
    const [row] = (await refuse("/recruiting/ingest", vendor, { body })).rows;
    assert(!row!.payload_text.includes("secret"), row!.payload_text);
    assert(row!.payload_text.includes("Ann"), row!.payload_text);
  }
});

Deno.test("a vendor without a parser loses nothing: what it sent is kept", async () => {
  const vendor = await createVendor(null);
  const { response, rows } = await refuse("/recruiting/ingest", vendor, {
    body: { first_name: "Ada" },
  });
  assert.equal(response.status, 400);
  assert.deepEqual(rows[0]!.payload, { first_name: "Ada" });
  assert.match(rows[0]!.reason, /no parser/);

  const bulk = await refuse("/recruiting/ingest/bulk", vendor, {
    body: { leads: [{ first_name: "Ada" }] },
  });
  assert.deepEqual([bulk.rows.length, bulk.rows[0]!.row], [1, null]);
});

Deno.test("each rejected row of a bulk request is kept", async () => {
  const vendor = await createVendor();
  const leads = [
    { first_name: "Ada", vendor_lead_id: "1" },
    { vendor_lead_id: "2" },
    "no lead",
    { first_name: "Ada", vendor_lead_id: "1" },
  ];
  const { response, rows } = await refuse("/recruiting/ingest/bulk", vendor, { body: { leads } });
  assert.deepEqual([response.body.created, response.body.duplicates], [1, 1]);
  assert.deepEqual(
    rows.map(({ row, code, reason, payload, vendor_lead_id }) => ({
      row,
      code,
      reason,
      payload,
      vendor_lead_id,
    })),
    [
      {
        row: 1,
        code: "BAD_REQUEST",
        reason: "missing first_name",
        payload: leads[1],
        vendor_lead_id: "2",
      },
      {
        row: 2,
        code: "BAD_REQUEST",
        reason: "the lead must be a JSON object",
        payload: "no lead",
        vendor_lead_id: null,
      },
    ],
  );
  const [stored] = await storedLeads(vendor);
  assert.equal(stored!.received_via, "bulk");
  const again = await sql`
    select request_id from public.recruiting_lead_duplicates where lead_id = ${stored!.id}`;
  assert.deepEqual(again.map(({ request_id }) => request_id), [
    response.headers.get("x-request-id"),
  ]);
});

Deno.test("a bulk request of 10,000 wrong rows leaves 10,000 deliveries", async () => {
  const vendor = await createVendor();
  const leads = Array.from({ length: 10_000 }, (_, row) => ({ row, last_name: "Lovelace" }));
  const { response } = await refuse("/recruiting/ingest/bulk", vendor, { body: { leads } });
  assert.equal(response.body.errors.length, 10_000);
  const count = async () => {
    const [counted] = await sql`
      select count(*)::int as rows, count(distinct row)::int as different
      from public.rejected_deliveries where vendor_id = ${vendor.id}`;
    return counted as { rows: number; different: number };
  };
  const deadline = Date.now() + 60_000;
  while ((await count()).rows < 10_000 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assert.deepEqual(await count(), { rows: 10_000, different: 10_000 });
});

Deno.test("each rejected row of an import is kept with what a replay needs, a duplicate is not", async () => {
  const target = await createTarget();
  const good = lead();
  const { phone: _, ...bad } = lead();
  const { headers, body } = await importLeads(target, [good, bad, good]);
  assert.deepEqual([body.imported, body.failed], [1, 2]);
  const rows = await deliveries(headers.get("x-request-id"));
  assert.equal(rows.length, 1);
  const { vendor_id, row, code, payload, vendor_lead_id, context } = rows[0]!;
  assert.deepEqual({ vendor_id, row, code, payload, vendor_lead_id, context }, {
    vendor_id: null,
    row: 1,
    code: "INVALID",
    payload: bad,
    vendor_lead_id: bad.external_id,
    context: { ...target, distribution_id: null },
  });
  await sql`select public.replay_delivery(${rows[0]!.id}, ${
    sql.json({ ...bad, phone: "312 555 0101" } as never)
  })`;
  const [stored] = await sql`
    select agent_id from public.leads where external_id = ${bad.external_id as string}`;
  assert.equal(stored!.agent_id, target.agent_id);
});

Deno.test("an import that is refused as a whole is one delivery", async () => {
  const target = { agency_id: crypto.randomUUID(), agent_id: crypto.randomUUID() };
  const { status, headers } = await importLeads(target, [lead()]);
  assert.equal(status, 400);
  const rows = await deliveries(headers.get("x-request-id"));
  assert.deepEqual([rows.length, rows[0]!.row, rows[0]!.payload.agency_id], [
    1,
    null,
    target.agency_id,
  ]);
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
  assert.deepEqual(responses.map(({ status }) => status), [
    ...[201, 200, 400, 401, 401, 404, 401, 405],
  ]);
  for (const { headers } of responses) {
    assert.deepEqual(Array.from(await deliveries(headers.get("x-request-id"))), []);
  }
  const [stored] = await storedLeads(vendor);
  assert.deepEqual([stored!.received_via, stored!.request_id], [
    "single",
    responses[0]!.headers.get("x-request-id"),
  ]);
  const again = await sql`
    select request_id from public.recruiting_lead_duplicates where lead_id = ${stored!.id}`;
  assert.deepEqual(again.map(({ request_id }) => request_id), [
    responses[1]!.headers.get("x-request-id"),
  ]);
});

Deno.test("a locked table of rejected deliveries neither fails a request nor holds it up for long", async () => {
  const vendor = await createVendor();
  await sql.begin(async (transaction) => {
    await transaction`lock table public.rejected_deliveries in access exclusive mode`;
    const responses = await Promise.all(
      Array.from(
        { length: 20 },
        () => send("/recruiting/ingest", { headers: withKey(vendor), body: {} }),
      ),
    );
    assert(responses.every(({ status }) => status === 400));
    const accepted = await send("/recruiting/ingest", {
      headers: withKey(vendor),
      body: { first_name: "Ada" },
    });
    assert.equal(accepted.status, 201);
  });
  const { rows } = await refuse("/recruiting/ingest", vendor, { body: {} });
  assert.equal(rows.length, 1);
});

Deno.test("a hundred rejected deliveries at once are all kept", async () => {
  const vendor = await createVendor();
  await Promise.all(
    Array.from(
      { length: 100 },
      () => send("/recruiting/ingest", { headers: withKey(vendor), body: {} }),
    ),
  );
  const deadline = Date.now() + 10_000;
  let rows = 0;
  while (rows < 100 && Date.now() < deadline) {
    const [counted] = await sql`
      select count(*)::int as rows from public.rejected_deliveries where vendor_id = ${vendor.id}`;
    rows = counted!.rows;
  }
  assert.equal(rows, 100);
});

Deno.test("an unmatched text is kept, and belongs to the conversation that is made later", async () => {
  const { newPhone, newSid, sendSigned } = await import("./support/sms.ts");
  const [From, To, MessageSid] = [newPhone(), newPhone(), newSid()];
  const { body } = await sendSigned("/recruiting/sms/inbound", {
    From,
    To,
    MessageSid,
    Body: "STOP",
  });
  assert.deepEqual(body, { status: "no_conversation" });
  const [text] = await sql`
    select * from public.unmatched_texts where message_sid = ${MessageSid}`;
  assert.deepEqual([text!.recruit_phone, text!.service_phone, text!.body], [From, To, "STOP"]);
  const target = await createTarget();
  const [conversation] = await sql`
    insert into public.recruiting_conversations (agency_id, recruit_phone, service_phone)
    values (${target.agency_id}, ${From}, ${To}) returning id`;
  const [message] = await sql`
    select * from public.recruiting_messages where provider_message_id = ${MessageSid}`;
  assert.equal(message!.conversation_id, conversation!.id);
  assert.deepEqual(message!.created_at, text!.received_at);
});

Deno.test("rejected deliveries are closed to everybody but the service role", async () => {
  const keys = [stack.anon_key, stack.publishable_key];
  for (const table of ["rejected_deliveries", "recruiting_lead_duplicates", "unmatched_texts"]) {
    for (const apikey of keys) {
      const response = await fetch(`${stack.api_url}/rest/v1/${table}`, { headers: { apikey } });
      assert([401, 403].includes(response.status));
      await response.body?.cancel();
    }
  }
});
