import assert from "node:assert/strict";
import { createClient } from "@supabase/supabase-js";
import { application, downloadResume, ingest } from "../support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  atOnce,
  createOrder,
  createVendor,
  filledOf,
  PDF,
  send,
  stack,
  storedLeads,
  storedResumes,
  withoutOpenOrders,
} from "../support/client.ts";

Deno.test("SPEC 4.1: an Indeed application with a resume becomes a lead, an object and a distribution", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const { status, body } = await ingest(vendor, application("in-1"));

  const place = { agency_id: order.agency_id, agent_id: order.agent_ids[0] };
  assert.equal(status, 201);
  assert.deepEqual(body, { id: body.id, status: "created", distributed_to: place });
  const [lead] = await storedLeads(vendor);
  assert.partialDeepStrictEqual(lead, {
    id: body.id,
    first_name: "Mary Jane",
    vendor_lead_id: "in-1",
    order_id: order.id,
    ...place,
  });
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
      screenerQuestionsAndAnswers: { questionsAndAnswers: [{ question: { id: "q1", type: "select" } }] },
    },
  });
  assert(lead!.distributed_at instanceof Date);
  assert.equal(await filledOf(order), 1);

  assert.deepEqual(await storedResumes(vendor), [lead!.resume_path]);
  assert.deepEqual(await downloadResume(lead!.resume_path), PDF);
  const anon = createClient(stack.api_url, stack.anon_key);
  assert.equal((await anon.storage.from("resumes").download(lead!.resume_path)).data, null);
});

Deno.test("SPEC 4.1: a flat payload in the usual spellings", async () => {
  const vendor = await createVendor();
  await withoutOpenOrders(async () => {
    const response = await ingest(vendor, {
      "First Name": " Ana ",
      lastName: "Ruiz",
      Phone: "(312) 555-1234",
      state: "Texas",
      lead_id: 12345678901,
      budget: 10,
    });
    assert.equal(assertResponse(response, 201).distributed_to, null);
  });
  const [lead] = await storedLeads(vendor);
  assert.partialDeepStrictEqual(lead, {
    first_name: "Ana",
    vendor_lead_id: "12345678901",
    last_name: "Ruiz",
    phone: "+13125551234",
    state: "TX",
  });
  assert.deepEqual(lead!.vendor_metadata.vendor_fields, { state: "Texas", budget: 10 });
});

Deno.test("SPEC 4.1: a duplicate gets 200 with the first lead's id and creates nothing, not even an object", async () => {
  const vendor = await createVendor("indeed");
  const first = await ingest(vendor, application("dup"));
  const second = await ingest(vendor, { ...application("dup"), extra: true });
  assertResponse(second, 200, { id: first.body.id, status: "duplicate" });
  await assertStored(vendor, 1, 1);
});

Deno.test("SPEC 4.1: without vendor_lead_id, or with a blank one, nothing is a duplicate", async () => {
  const vendor = await createVendor();
  for (const without of [{}, {}, { vendor_lead_id: " " }]) {
    assertResponse(await ingest(vendor, { first_name: "A", ...without }), 201);
  }
});

Deno.test("SPEC 4.1: two vendors with one vendor_lead_id make two leads", async () => {
  const [a, b] = [await createVendor(), await createVendor()];
  for (const vendor of [a, b]) {
    assertResponse(await ingest(vendor, { first_name: "A", vendor_lead_id: "same" }), 201);
  }
});

Deno.test("SPEC 4.1: ids keep every digit, and an id of any length deduplicates", async () => {
  const vendor = await createVendor();
  const ids = ["12345678901234567890", "12345678901234567891"];
  for (const id of ids) assertResponse(await ingest(vendor, `{"first_name":"A","id":${id}}`), 201);
  const long = { first_name: "A", vendor_lead_id: crypto.randomUUID().repeat(1000) };
  assertResponse(await ingest(vendor, long), 201);
  assertResponse(await ingest(vendor, long), 200);
  const stored = await storedLeads(vendor);
  assert.deepEqual(stored.map(({ vendor_lead_id }) => vendor_lead_id).slice(0, 2), ids);
});

Deno.test("race: 50 parallel posts of one application make one lead, one 201 and 49 × 200, one object", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const responses = await atOnce(50, () => ingest(vendor, application("race")));
  const created = responses.filter(({ status }) => status === 201);
  assert.equal(created.length, 1);
  for (const { status, body } of responses) {
    assert.equal(body.id, created[0]!.body.id);
    assert(status === 201 || (status === 200 && body.status === "duplicate"), String(status));
  }
  const leads = await storedLeads(vendor);
  assert.equal(leads.length, 1);
  assert.deepEqual(await storedResumes(vendor), [leads[0]!.resume_path]);
  assert.equal(await filledOf(order), 1);
});

Deno.test("a dry run says what would happen and changes nothing", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const before = await ingest(vendor, application("dry"), "?dry_run=true");
  const place = { agency_id: order.agency_id, agent_id: order.agent_ids[0] };
  const { status, distributed_to } = assertResponse(before, 200);
  assert.deepEqual([status, distributed_to], ["created", place]);
  assert(!JSON.stringify(before.body).includes(order.id), "the vendor must not learn of orders");
  assert.equal(before.body.lead.vendor_metadata.email, "mj@example.com");
  await assertStored(vendor, 0);

  const { body } = await ingest(vendor, application("dry"));
  const after = await ingest(vendor, application("dry"), "?dry_run=true");
  assert.deepEqual([after.body.status, after.body.id], ["duplicate", body.id]);
  const unclear = await ingest(vendor, application("dry-2"), "?dry_run=yes");
  assertError(unclear, 400, "BAD_REQUEST", /dry_run/);
  const nobody = await send("/recruiting/ingest?dry_run=yes", { body: application("dry-2") });
  assertError(nobody, 401, "UNAUTHORIZED", /Bearer/);
  await assertStored(vendor, 1, 1);
});
