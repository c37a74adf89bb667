import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "@supabase/supabase-js";
import { ingest, PDF_BASE64 } from "../support/applications.ts";
import {
  type ApiResponse,
  assertDailyCounts,
  assertResponse,
  assertStored,
  atOnce,
  createVendor,
  PDF,
  renewConnections,
  send,
  sql,
  stack,
  storedLeads,
  storedResumes,
  type Vendor,
} from "../support/client.ts";
import { eventually, loggedErrors } from "../support/processes.ts";
import { createConversation, messages, newSid, receive } from "../support/sms.ts";
import { createWebhook, deliver } from "../support/webhooks.ts";
import { hangFor, kill, whileHanging } from "../../dev/testing/faults/parts.ts";
import { refusingLeads } from "../../dev/testing/faults/database.ts";

const RECEIVED = { status: "received" };

function application(n: number, resume = true) {
  return {
    first_name: "A",
    vendor_lead_id: `application-${n}`,
    ...(resume && { resume: PDF_BASE64 }),
  };
}

function assertInternalError({ status, body }: ApiResponse) {
  assert.equal(status, 500);
  assert.equal(body.error.code, "INTERNAL_ERROR");
  assert(!/postg|sql|storage|fetch|connect/i.test(JSON.stringify(body.error)), body.error.message);
}

/** Asserts that so many leads are stored, each with its resume, and that no object is left over. */
async function assertNothingHalfMade(vendor: Vendor, count: number): Promise<void> {
  const leads = await storedLeads(vendor);
  assert.equal(leads.length, count);
  const paths = leads.map(({ resume_path }) => resume_path).filter(Boolean).sort();
  assert.deepEqual((await storedResumes(vendor)).sort(), paths);
}

Deno.test("fault: when Postgres restarts during requests, no lead is lost or stored twice", async () => {
  const count = 30;
  const vendor = await createVendor();
  assert.equal((await ingest(vendor, { first_name: "A" })).status, 201);
  const requests = atOnce(count, (n) => ingest(vendor, application(n, n % 2 === 0)));
  await delay(30);
  await kill("postgres", "SIGINT");
  const responses = await requests;
  await renewConnections();
  for (const response of responses) {
    if (response.status !== 201) assertInternalError(response);
  }
  for (let n = 0; n < count; n++) {
    await eventually(20, async () => {
      const { status } = await ingest(vendor, application(n, n % 2 === 0));
      assert([200, 201].includes(status), String(status));
    });
  }
  // An object whose insert got no response is removed 40 seconds later.
  await eventually(60, () => assertNothingHalfMade(vendor, count + 1));
  await assertDailyCounts();
});

Deno.test("fault: texts that come while PostgREST is gone are stored once it is back", async () => {
  const conversation = await createConversation();
  await kill("postgrest");
  const responses = await atOnce(10, () => receive(conversation));
  for (const response of responses) assertResponse(response, 200, RECEIVED);
  await eventually(5, async () => assert.equal((await messages(conversation)).length, 10));
});

Deno.test("fault: while PostgREST hangs each response comes in time, and it says what is so", async () => {
  const [vendor, other, conversation] = [await createVendor(), await createVendor(), await createConversation()];
  const MessageSid = newSid();
  const isHealthy = () => send("/api/health", { method: "GET" });
  for (const known of [vendor, other]) await ingest(known, { first_name: "A" });
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  await whileHanging("postgrest", async () => {
    const [withId, withoutId] = await Promise.all([
      ingest(vendor, application(1)),
      ingest(other, { first_name: "B" }),
      receive(conversation, { MessageSid }).then((response) => {
        assertResponse(response, 200, { status: "error" });
        assert(seconds() < 15, "Twilio has hung up");
      }),
      isHealthy().then(({ status, body, headers }) => {
        assert(seconds() < 10);
        const found = [status, body.status, body.database, body.migrations];
        assert.deepEqual(found, [503, "unavailable", "unreachable", null]);
        assert.equal(headers.get("cache-control"), "no-store");
      }),
    ]);
    assertInternalError(withId);
    assert.match(withId.body.error.message, /send the same request again$/);
    assertInternalError(withoutId);
    assert.match(withoutId.body.error.message, /may have been stored/);
    assert.equal(withoutId.body.error.details[0].code, "MAY_HAVE_BEEN_STORED");
    await eventually(2, () => Promise.resolve(assert(loggedErrors().includes(MessageSid))));
    // Its object is removed after the response.
    await eventually(60, async () => assert.equal((await storedResumes(vendor)).length, 0));
  });
  await eventually(10, async () => assert.equal((await isHealthy()).status, 200));
  assert([200, 201].includes((await ingest(vendor, application(1))).status));
  await assertNothingHalfMade(vendor, 2);
  assertResponse(await receive(conversation, { MessageSid }), 200, RECEIVED);
  assert.equal((await messages(conversation)).length, 1);
});

Deno.test("fault: leads of vendors that must be looked up, and texts, wait while PostgREST hangs for 3 s, and are stored once", async () => {
  const [vendor, webhook, conversation] = [await createVendor(), await createWebhook(), await createConversation()];
  const MessageSid = newSid();
  const hanging = hangFor("postgrest", 3);
  const lead = { first_name: "Ada" };
  const [leads, texts] = await Promise.all([
    atOnce(20, (n) => n % 2 ? deliver(webhook, lead) : ingest(vendor, lead)),
    atOnce(2, () => receive(conversation, { MessageSid })),
  ]);
  await hanging;
  for (const response of leads) assertResponse(response, 201);
  await assertStored(vendor, 10);
  for (const response of texts) assertResponse(response, 200, RECEIVED);
  assert.equal((await messages(conversation)).length, 1);
});

Deno.test("fault: while storage is down a lead with a resume is INTERNAL_ERROR, one without is stored", async () => {
  const vendor = await createVendor();
  await kill("lite");
  assertInternalError(await ingest(vendor, application(1)));
  // Its vendor may send it again, or an operator replays it.
  const kept = () => sql`select code from public.rejected_deliveries where vendor_id = ${vendor.id}`;
  await eventually(5, async () => assert.deepEqual(Array.from(await kept()), [{ code: "INTERNAL_ERROR" }]));
  assert.equal((await ingest(vendor, application(2, false))).status, 201);
  await eventually(20, async () => {
    assert.equal((await ingest(vendor, application(1))).status, 201);
  });
  await assertNothingHalfMade(vendor, 2);
});

Deno.test("fault: the resume of a request that died before its lead was stored is removed by the next one", async () => {
  const vendor = await createVendor();
  const id = crypto.randomUUID();
  const path = `${vendor.id}/${id}.pdf`;
  // The request leaves the note of its upload, and the object.
  await sql`
    insert into private.resume_uploads (lead_id, path, begun_at)
    values (${id}, ${path}, now() - interval '1 minute')`;
  const { storage } = createClient(stack.api_url, stack.service_role_key);
  const { error } = await storage.from("resumes")
    .upload(path, PDF, { contentType: "application/pdf" });
  assert.equal(error, null);

  assert.equal((await ingest(vendor, application(1))).status, 201);
  await eventually(10, async () => {
    await assertNothingHalfMade(vendor, 1);
    const notes = await sql`select from private.resume_uploads where path like ${vendor.id + "/%"}`;
    assert.equal(notes.length, 0);
  });
});

Deno.test("fault: a database that refuses the lead leaves no object", async () => {
  const vendor = await createVendor();
  const lead = { ...application(1), first_name: "Refused" };
  await refusingLeads(async () => {
    assertInternalError(await ingest(vendor, lead));
    await assertNothingHalfMade(vendor, 0);
  });
  assertResponse(await ingest(vendor, lead), 201);
});
