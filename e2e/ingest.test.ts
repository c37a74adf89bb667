import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { application, downloadResume, ingest } from "./support/applications.ts";
import {
  assertDailyCounts,
  assertError,
  createOrder,
  createVendor,
  PDF,
  send,
  sql,
  stack,
  storedLeads,
  storedResumes,
  withKey,
  withoutOpenOrders,
} from "./support/client.ts";

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
    vendor_fields: {
      analytics: { ip: "198.51.100.7" },
      applicant: { resume: { file: { contentType: "application/pdf", fileName: "cv.pdf" } } },
      screenerQuestionsAndAnswers: {
        questionsAndAnswers: [{ question: { id: "q1", type: "select" } }],
      },
    },
  });
  assert.deepEqual(
    [lead!.order_id, lead!.agency_id, lead!.agent_id],
    [order.id, order.agency_id, order.agent_ids[0]],
  );
  assert(lead!.distributed_at instanceof Date);
  const [counted] = await sql`select filled from public.recruiting_orders where id = ${order.id}`;
  assert.equal(counted!.filled, 1);

  assert.deepEqual(await storedResumes(vendor), [lead!.resume_path]);
  assert.deepEqual(await downloadResume(lead!.resume_path), PDF);
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
  assert.deepEqual(lead!.vendor_metadata.vendor_fields, { state: "Texas", budget: 10 });
});

Deno.test("SPEC 4.1: a duplicate gets 200 with the first lead's id and creates nothing, not even an object", async () => {
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
  const responses = await Promise.all(
    Array.from({ length: 50 }, () => ingest(vendor, application("race"))),
  );
  const created = responses.filter(({ status }) => status === 201);
  assert.equal(created.length, 1);
  for (const { status, body } of responses) {
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
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => ingest(vendor, { first_name: "A", vendor_lead_id: n })),
    );
    assert(responses.every(({ status }) => status === 201));
    assert.equal(responses.filter(({ body }) => body.distributed_to !== null).length, 40);
  });
  const [counted] =
    await sql`select filled, status from public.recruiting_orders where id = ${order.id}`;
  assert.deepEqual({ ...counted }, { filled: 40, status: "filled" });
  const turns = await sql`
    select count(*)::int as leads from public.recruiting_leads where order_id = ${order.id} group by agent_id`;
  assert.deepEqual(turns.map(({ leads }) => leads).sort(), [13, 13, 14]);
  await assertDailyCounts();
});

Deno.test("a dry run says what would happen and changes nothing", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const before = await ingest(vendor, application("dry"), "?dry_run=true");
  assert.equal(before.status, 200);
  assert.equal(before.body.status, "created");
  assert.deepEqual(before.body.distributed_to, {
    agency_id: order.agency_id,
    agent_id: order.agent_ids[0],
  });
  assert(!JSON.stringify(before.body).includes(order.id), "the vendor must not learn of orders");
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
