import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createClient } from "@supabase/supabase-js";
import {
  type ApiResponse,
  assertDailyCounts,
  createVendor,
  PDF,
  send,
  sql,
  stack,
  storedLeads,
  storedResumes,
  type Vendor,
  withKey,
} from "./support/client.ts";
import { eventually, pidOf } from "./support/processes.ts";
import { createWebhook, deliver } from "./support/webhooks.ts";

function application(n: number, resume = true) {
  return {
    first_name: "A",
    vendor_lead_id: `application-${n}`,
    ...(resume && { resume: Buffer.from(PDF).toString("base64") }),
  };
}

function ingest(vendor: Vendor, lead: object): Promise<ApiResponse> {
  return send("/recruiting/ingest", { headers: withKey(vendor), body: lead });
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

/** Sends leads while `fault` happens, then sends each again until it is stored. */
async function survives(fault: () => void, count: number): Promise<void> {
  const vendor = await createVendor();
  await ingest(vendor, { first_name: "A" });
  const requests = Array.from(
    { length: count },
    (_, n) => ingest(vendor, application(n, n % 2 === 0)),
  );
  await new Promise((resolve) => setTimeout(resolve, 30));
  fault();
  for (const response of await Promise.all(requests)) {
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
}

Deno.test("fault: when PostgREST is killed during requests, no lead is lost or stored twice", async () => {
  await survives(() => Deno.kill(pidOf("postgrest"), "SIGKILL"), 30);
});

Deno.test("fault: when Postgres restarts during requests, no lead is lost or stored twice", async () => {
  await survives(() => Deno.kill(pidOf("postgres"), "SIGINT"), 30);
});

Deno.test("fault: while PostgREST hangs the response is INTERNAL_ERROR in time, and the same request succeeds afterwards", async () => {
  const vendor = await createVendor();
  await ingest(vendor, { first_name: "A" });
  const pid = pidOf("postgrest");
  Deno.kill(pid, "SIGSTOP");
  try {
    assertInternalError(await ingest(vendor, application(1)));
    assert.equal((await storedResumes(vendor)).length, 0);
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
  assert([200, 201].includes((await ingest(vendor, application(1))).status));
  await assertNothingHalfMade(vendor, 2);
});

Deno.test("fault: leads of vendors that must be looked up wait while PostgREST hangs for 3 s, and are stored", async () => {
  const [vendor, webhook] = [await createVendor(), await createWebhook()];
  const pid = pidOf("postgrest");
  Deno.kill(pid, "SIGSTOP");
  const responses = Array.from({ length: 10 }, () => [
    ingest(vendor, { first_name: "Ada" }),
    deliver(webhook, { first_name: "Ada" }),
  ]).flat();
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  Deno.kill(pid, "SIGCONT");
  for (const { status, body } of await Promise.all(responses)) {
    assert.equal(status, 201, JSON.stringify(body));
  }
  assert.equal((await storedLeads(vendor)).length, 10);
});

Deno.test("fault: while storage is down a lead with a resume is INTERNAL_ERROR, one without is stored", async () => {
  const vendor = await createVendor();
  Deno.kill(pidOf("lite"), "SIGKILL");
  assertInternalError(await ingest(vendor, application(1)));
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
  // What the request leaves: the note of its upload, and the object.
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

Deno.test("fault: a body that breaks off leaves nothing behind", async () => {
  const vendor = await createVendor();
  const whole = new TextEncoder().encode(JSON.stringify(application(1)));
  const { hostname, port } = new URL(stack.api_url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(
    `POST /functions/v1/recruiting/ingest HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${vendor.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${whole.length}\r\n\r\n`,
  ));
  await connection.write(whole.slice(0, whole.length / 2));
  connection.close();
  assert.equal((await ingest(vendor, application(2))).status, 201);
  await assertNothingHalfMade(vendor, 1);
});

Deno.test("fault: a database that refuses the lead leaves no object", async () => {
  const vendor = await createVendor();
  await sql`alter table public.recruiting_leads add constraint refused check (first_name <> 'Refused') not valid`;
  try {
    assertInternalError(await ingest(vendor, { ...application(1), first_name: "Refused" }));
    await assertNothingHalfMade(vendor, 0);
  } finally {
    await sql`alter table public.recruiting_leads drop constraint refused`;
  }
  assert.equal((await ingest(vendor, { ...application(1), first_name: "Refused" })).status, 201);
});
