import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createClient } from "@supabase/supabase-js";
import {
  type Answer,
  assertError,
  createOrder,
  createVendor,
  PDF,
  send,
  sql,
  stack,
  storedLeads,
  storedResumes,
  type Vendor,
  withKey,
  withoutOpenOrders,
} from "./client.ts";

const BASE64 = Buffer.from(PDF).toString("base64");

function ingest(vendor: Vendor, body: unknown, query = ""): Promise<Answer> {
  return send(`/recruiting/ingest${query}`, { headers: withKey(vendor), body });
}

/** An Indeed Apply application. */
function application(
  id: string,
  file: object = { contentType: "application/pdf", data: BASE64, fileName: "cv.pdf" },
) {
  return {
    id,
    applicant: {
      fullName: "Mary Jane Watson",
      firstName: "Mary Jane",
      lastName: "Watson",
      email: "MJ@Example.com",
      phoneNumber: "+1 5555551234",
      resume: { file },
    },
    job: { jobId: "j-1", jobTitle: "Insurance Agent", jobLocation: "Austin, TX" },
    screenerQuestionsAndAnswers: {
      questionsAndAnswers: [{
        question: { id: "q1", question: "Licensed?", type: "select" },
        answer: "Yes",
      }],
    },
    analytics: { ip: "198.51.100.7" },
  };
}

Deno.test("SPEC 4.1: an Indeed application with a resume becomes a lead, an object and a distribution", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const { status, body } = await ingest(vendor, application("in-1"));

  assert.equal(status, 201);
  assert.deepEqual(body, {
    id: body.id,
    status: "created",
    distributed_to: { agency_id: order.agency_id, agent_id: order.agent_ids[0] },
  });
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.id, body.id);
  assert.equal(lead!.first_name, "Mary Jane");
  assert.equal(lead!.vendor_lead_id, "in-1");
  assert.deepEqual(lead!.vendor_metadata, {
    full_name: "Mary Jane Watson",
    last_name: "Watson",
    email: "mj@example.com",
    phone: "+15555551234",
    phone_raw: "+1 5555551234",
    job_id: "j-1",
    job_title: "Insurance Agent",
    job_location: "Austin, TX",
    answers: [{ question: "Licensed?", answer: "Yes" }],
    vendor_fields: { analytics: { ip: "198.51.100.7" } },
  });
  assert.deepEqual(
    [lead!.order_id, lead!.agency_id, lead!.agent_id],
    [order.id, order.agency_id, order.agent_ids[0]],
  );
  assert(lead!.distributed_at instanceof Date);
  const [counted] = await sql`select filled from public.recruiting_orders where id = ${order.id}`;
  assert.equal(counted!.filled, 1);

  assert.deepEqual(await storedResumes(vendor), [lead!.resume_path]);
  const { storage } = createClient(stack.api_url, stack.service_role_key);
  const { data } = await storage.from("resumes").download(lead!.resume_path);
  assert.deepEqual(new Uint8Array(await data!.arrayBuffer()), PDF);
  const anon = createClient(stack.api_url, stack.anon_key);
  assert.equal((await anon.storage.from("resumes").download(lead!.resume_path)).data, null);
});

Deno.test("SPEC 4.1: a flat payload in the usual spellings", async () => {
  const vendor = await createVendor();
  await withoutOpenOrders(async () => {
    const { status, body } = await ingest(vendor, {
      "First Name": " Ana ",
      lastName: "Ruiz",
      Phone: "(312) 555-1234",
      state: "Texas",
      lead_id: 12345678901,
      budget: 10,
    });
    assert.equal(status, 201);
    assert.equal(body.distributed_to, null);
  });
  const [lead] = await storedLeads(vendor);
  assert.deepEqual(
    [lead!.first_name, lead!.vendor_lead_id, lead!.last_name, lead!.phone, lead!.state],
    ["Ana", "12345678901", "Ruiz", "+13125551234", "TX"],
  );
  assert.deepEqual(lead!.vendor_metadata.vendor_fields, { budget: 10 });
});

Deno.test("SPEC 4.1: a duplicate answers 200 with the first lead's id and creates nothing, no object either", async () => {
  const vendor = await createVendor("indeed");
  const first = await ingest(vendor, application("dup"));
  const second = await ingest(vendor, { ...application("dup"), extra: true });
  assert.equal(second.status, 200);
  assert.deepEqual(second.body, { id: first.body.id, status: "duplicate" });
  assert.equal((await storedLeads(vendor)).length, 1);
  assert.equal((await storedResumes(vendor)).length, 1);
});

Deno.test("SPEC 4.1: without vendor_lead_id, or with a blank one, nothing is a duplicate", async () => {
  const vendor = await createVendor();
  for (
    const lead of [{ first_name: "A" }, { first_name: "A" }, {
      first_name: "A",
      vendor_lead_id: " ",
    }]
  ) {
    assert.equal((await ingest(vendor, lead)).status, 201);
  }
});

Deno.test("SPEC 4.1: two vendors with one vendor_lead_id make two leads", async () => {
  const [a, b] = [await createVendor(), await createVendor()];
  for (const vendor of [a, b]) {
    assert.equal((await ingest(vendor, { first_name: "A", vendor_lead_id: "same" })).status, 201);
  }
});

Deno.test("SPEC 4.1: ids keep every digit, and an id of any length deduplicates", async () => {
  const vendor = await createVendor();
  const headers = { ...withKey(vendor), "content-type": "application/json" };
  for (const id of ["12345678901234567890", "12345678901234567891"]) {
    const { status } = await send("/recruiting/ingest", {
      headers,
      body: `{"first_name":"A","id":${id}}`,
    });
    assert.equal(status, 201, id);
  }
  const long = { first_name: "A", vendor_lead_id: crypto.randomUUID().repeat(1000) };
  assert.equal((await ingest(vendor, long)).status, 201);
  assert.equal((await ingest(vendor, long)).status, 200);
  assert.deepEqual(
    (await storedLeads(vendor)).map((lead) => lead.vendor_lead_id).slice(0, 2),
    ["12345678901234567890", "12345678901234567891"],
  );
});

Deno.test("race: 50 parallel posts of one application make one lead, one 201 and 49 × 200, one object", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => ingest(vendor, application("race"))),
  );
  const created = answers.filter(({ status }) => status === 201);
  assert.equal(created.length, 1);
  for (const { status, body } of answers) {
    assert.equal(body.id, created[0]!.body.id);
    assert(status === 201 || (status === 200 && body.status === "duplicate"), String(status));
  }
  const leads = await storedLeads(vendor);
  assert.equal(leads.length, 1);
  assert.deepEqual(await storedResumes(vendor), [leads[0]!.resume_path]);
  const [counted] = await sql`select filled from public.recruiting_orders where id = ${order.id}`;
  assert.equal(counted!.filled, 1);
});

Deno.test("race: 60 parallel leads for an order with 40 left fill it exactly, in turns", async () => {
  const vendor = await createVendor();
  const order = await createOrder(vendor, { quantity: 40, agents: 3 });
  await withoutOpenOrders(async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => ingest(vendor, { first_name: "A", vendor_lead_id: n })),
    );
    assert(answers.every(({ status }) => status === 201));
    assert.equal(answers.filter(({ body }) => body.distributed_to !== null).length, 40);
  });
  const [counted] =
    await sql`select filled, status from public.recruiting_orders where id = ${order.id}`;
  assert.deepEqual({ ...counted }, { filled: 40, status: "filled" });
  const turns = await sql`
    select count(*)::int as leads from public.recruiting_leads where order_id = ${order.id} group by agent_id`;
  assert.deepEqual(turns.map(({ leads }) => leads).sort(), [13, 13, 14]);
});

const KEY_FAULTS: [
  string,
  (vendor: Vendor) => Record<string, string> | Promise<Record<string, string>>,
][] = [
  ["missing", () => ({})],
  ["of another scheme", ({ key }) => ({ authorization: `Basic ${key}` })],
  ["without a scheme", ({ key }) => ({ authorization: key })],
  ["blank", () => ({ authorization: "Bearer " })],
  ["unknown", () => ({ authorization: "Bearer lik_nobody" })],
  ["in another case", ({ key }) => ({ authorization: `Bearer ${key.toUpperCase()}` })],
  ["expired", async (vendor) => {
    await sql`update public.vendor_api_keys set expires_at = now() - interval '1 second' where vendor_id = ${vendor.id}`;
    return withKey(vendor);
  }],
  ["revoked", async (vendor) => {
    await sql`update public.vendor_api_keys set revoked_at = now() where vendor_id = ${vendor.id}`;
    return withKey(vendor);
  }],
  ["of an inactive vendor", async (vendor) => {
    await sql`update public.vendors set is_active = false where id = ${vendor.id}`;
    return withKey(vendor);
  }],
];

for (const [fault, headersFor] of KEY_FAULTS) {
  Deno.test(`SPEC 7: a key that is ${fault} is UNAUTHORIZED on both ingest routes`, async () => {
    const vendor = await createVendor();
    const headers = await headersFor(vendor);
    for (const path of ["/recruiting/ingest", "/recruiting/ingest/bulk"]) {
      const answer = await send(path, {
        headers,
        body: { first_name: "A", leads: [{ first_name: "A" }] },
      });
      assertError(answer, 401, "UNAUTHORIZED", /key/);
      assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
    }
    assert.equal((await storedLeads(vendor)).length, 0);
  });
}

Deno.test("a key revoked between two requests stops at once, though the isolate has cached its vendor", async () => {
  const vendor = await createVendor();
  assert.equal((await ingest(vendor, { first_name: "A" })).status, 201);
  await sql`update public.vendor_api_keys set revoked_at = now() where vendor_id = ${vendor.id}`;
  assertError(await ingest(vendor, { first_name: "A" }), 401, "UNAUTHORIZED", /key/);
  assert.equal((await storedLeads(vendor)).length, 1);
});

for (const parser of [null, "no-such-parser", "constructor"]) {
  Deno.test(`SPEC 7: a vendor whose parser is ${parser} is BAD_REQUEST`, async () => {
    const vendor = await createVendor(parser);
    for (const path of ["/recruiting/ingest", "/recruiting/ingest/bulk"]) {
      const answer = await send(path, {
        headers: withKey(vendor),
        body: { leads: [{ first_name: "A" }] },
      });
      assertError(answer, 400, "BAD_REQUEST", /parser/);
    }
  });
}

const BAD_BODIES: [string, BodyInit, number, RegExp][] = [
  ["no JSON", "{", 400, /JSON/],
  ["empty", "", 400, /JSON/],
  ["an array", "[]", 400, /object/],
  ["null", "null", 400, /object/],
  ["a string", '"lead"', 400, /object/],
  ["a number", "7", 400, /object/],
  ["nested a million levels", "[".repeat(1_000_000), 400, /JSON|nested/],
  [
    "an object nested 10,000 levels",
    '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000),
    400,
    /JSON|nested/,
  ],
  ["without first_name", '{"last_name":"B"}', 400, /first_name/],
  ["with a blank first_name", '{"first_name":"  "}', 400, /first_name/],
  ["with nothing but U+0000 as first_name", '{"first_name":"\\u0000"}', 400, /first_name/],
  ["with an object as first_name", '{"first_name":{"a":1}}', 400, /first_name/],
  ["with a resume that is not base64", '{"first_name":"A","resume":"?!"}', 400, /resume/],
  ["with a resume that is a number", '{"first_name":"A","resume":7}', 400, /resume/],
  ["with a resume that is not a PDF", '{"first_name":"A","resume":"aGVsbG8="}', 400, /resume/],
  ["of 20 MB", `{"first_name":"${"A".repeat(20_000_000)}"}`, 413, /15 MiB/],
];

for (const [what, body, status, message] of BAD_BODIES) {
  Deno.test(`a body that is ${what} is refused and stores nothing`, async () => {
    const vendor = await createVendor();
    const answer = await send("/recruiting/ingest", {
      headers: { ...withKey(vendor), "content-type": "application/json" },
      body,
    });
    assertError(answer, status, status === 413 ? "PAYLOAD_TOO_LARGE" : "BAD_REQUEST", message);
    assert.equal((await storedLeads(vendor)).length, 0);
    assert.equal((await storedResumes(vendor)).length, 0);
  });
}

Deno.test("a resume of more than 10 MiB is PAYLOAD_TOO_LARGE and stores nothing", async () => {
  const vendor = await createVendor();
  const large = new Uint8Array(10 * 1024 * 1024 + 1);
  large.set(PDF);
  const answer = await ingest(vendor, {
    first_name: "A",
    resume: Buffer.from(large).toString("base64"),
  });
  assertError(answer, 413, "PAYLOAD_TOO_LARGE", /resume/);
  assert.equal((await storedLeads(vendor)).length, 0);
  assert.equal((await storedResumes(vendor)).length, 0);
});

Deno.test("a resume of 10 MiB is stored whole", async () => {
  const vendor = await createVendor();
  const large = new Uint8Array(10 * 1024 * 1024);
  large.set(PDF);
  const { status } = await ingest(vendor, {
    first_name: "A",
    resume: Buffer.from(large).toString("base64"),
  });
  assert.equal(status, 201);
  const [{ resume_path }] = await storedLeads(vendor) as unknown as [{ resume_path: string }];
  const { storage } = createClient(stack.api_url, stack.service_role_key);
  assert.equal((await storage.from("resumes").download(resume_path)).data?.size, large.length);
});

for (
  const [what, resume] of [
    ["unpadded base64", BASE64.replace(/=+$/, "")],
    ["base64 padded too much", BASE64.replace(/=+$/, "") + "===="],
    ["URL-safe base64", Buffer.from(PDF).toString("base64url")],
    ["base64 in lines", BASE64.replace(/.{76}/g, "$&\r\n")],
    ["a data: URL", `data:application/pdf;base64,${BASE64}`],
    ["a data: URL with a name", `data:application/pdf;name=cv.pdf;base64,${BASE64}`],
  ] as const
) {
  Deno.test(`a resume as ${what} is stored`, async () => {
    const vendor = await createVendor();
    assert.equal((await ingest(vendor, { first_name: "A", resume })).status, 201);
    const [lead] = await storedLeads(vendor);
    const { storage } = createClient(stack.api_url, stack.service_role_key);
    const { data } = await storage.from("resumes").download(lead!.resume_path);
    assert.deepEqual(new Uint8Array(await data!.arrayBuffer()), PDF);
  });
}

Deno.test("a resume of another type is not stored, the lead is kept and says so", async () => {
  const vendor = await createVendor("indeed");
  const file = { contentType: "text/plain", data: btoa("my life"), fileName: "cv.txt" };
  assert.equal((await ingest(vendor, application("txt", file))).status, 201);
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.resume_path, null);
  assert.equal(lead!.vendor_metadata.resume_skipped, "text/plain");
  assert.equal((await storedResumes(vendor)).length, 0);
});

Deno.test("a resume by address is kept as such and never fetched", async () => {
  const vendor = await createVendor();
  const address = `${stack.api_url}/health?resume`;
  assert.equal((await ingest(vendor, { first_name: "A", resume: address })).status, 201);
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.vendor_metadata.resume_url, address);
  assert.equal(lead!.resume_path, null);
});

Deno.test("naughty characters are stored as far as they can be, keys included", async () => {
  const vendor = await createVendor();
  const { status } = await send("/recruiting/ingest", {
    headers: { ...withKey(vendor), "content-type": "application/json" },
    body: String
      .raw`{"first_name":"A\u0000n\ud800a 😀","x\u0000y":"\udc00","__proto__":{"a":1},"vendor_lead_id":"i\u0000d"}`,
  });
  assert.equal(status, 201);
  const [lead] = await storedLeads(vendor);
  assert.equal(lead!.first_name, "An\ufffda 😀");
  assert.equal(lead!.vendor_lead_id, "id");
  assert.deepEqual(Object.keys(lead!.vendor_metadata.vendor_fields).sort(), ["__proto__", "xy"]);
});

Deno.test("content types, methods and paths", async () => {
  const vendor = await createVendor();
  const body = '{"first_name":"A"}';
  for (const type of ["application/json", "text/plain", "application/vnd.vendor+json"]) {
    const headers = { ...withKey(vendor), "content-type": type };
    assert.equal((await send("/recruiting/ingest", { headers, body })).status, 201, type);
  }
  const headers = { ...withKey(vendor), "content-type": "multipart/form-data" };
  assertError(
    await send("/recruiting/ingest", { headers, body }),
    415,
    "UNSUPPORTED_MEDIA_TYPE",
    /json/,
  );
  const get = await send("/recruiting/ingest", { method: "GET" });
  assertError(get, 405, "METHOD_NOT_ALLOWED", /POST/);
  assert.equal(get.headers.get("allow"), "POST");
  assertError(await send("/recruiting/nothing", { body }), 404, "NOT_FOUND", /path/);
});

Deno.test("a wrong key with a 20 MB body still gets to read UNAUTHORIZED", async () => {
  const answer = await send("/recruiting/ingest", {
    headers: { authorization: "Bearer nobody", "content-type": "application/json" },
    body: "x".repeat(20_000_000),
  });
  assertError(answer, 401, "UNAUTHORIZED", /key/);
});

Deno.test("a dry run tells what would happen and changes nothing", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const before = await ingest(vendor, application("dry"), "?dry_run=true");
  assert.equal(before.status, 200);
  assert.equal(before.body.status, "created");
  assert.equal(before.body.order_id, order.id);
  assert.equal(before.body.lead.vendor_metadata.email, "mj@example.com");
  assert.equal((await storedLeads(vendor)).length, 0);
  assert.equal((await storedResumes(vendor)).length, 0);

  const { body } = await ingest(vendor, application("dry"));
  const after = await ingest(vendor, application("dry"), "?dry_run=true");
  assert.equal(after.body.status, "duplicate");
  assert.equal(after.body.id, body.id);
  const unclear = await ingest(vendor, application("dry-2"), "?dry_run=yes");
  assertError(unclear, 400, "BAD_REQUEST", /dry_run/);
  const nobody = await send("/recruiting/ingest?dry_run=yes", { body: application("dry-2") });
  assertError(nobody, 401, "UNAUTHORIZED", /Bearer/);
  assert.equal((await storedLeads(vendor)).length, 1);
});
