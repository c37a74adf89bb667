import assert from "node:assert/strict";
import { application, ingest } from "../support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  atOnce,
  createOrder,
  createVendor,
  filledOf,
  send,
  storedLeads,
  storedResumes,
} from "../support/client.ts";

Deno.test("race: 20 parallel posts of one application make one lead, one 201 and 19 × 200, one object", async () => {
  const vendor = await createVendor("indeed");
  const order = await createOrder(vendor);
  const responses = await atOnce(20, () => ingest(vendor, application("race")));
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
  await assertStored(vendor, 1, 1);
});

Deno.test("SPEC 5, 7: a key that is missing, of another form or unknown is UNAUTHORIZED on both ingest routes", async () => {
  const { key } = await createVendor();
  const lead = { first_name: "A" };
  for (
    const authorization of [null, `Basic ${key}`, key, "Bearer ", "Bearer lik_nobody", `Bearer ${key.toUpperCase()}`]
  ) {
    for (const path of ["/recruiting/ingest", "/recruiting/ingest/bulk"]) {
      const headers: Record<string, string> = authorization === null ? {} : { authorization };
      const response = await send(path, { headers, body: { ...lead, leads: [lead] } });
      assertError(response, 401, "UNAUTHORIZED", /key/);
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
    }
  }
});

Deno.test("several leads on the route for one are refused, and the error names the route for several", async () => {
  const vendor = await createVendor();
  const lead = { first_name: "A" };
  for (const [body, query] of [[{ leads: [lead] }, ""], [[lead], "?dry_run=true"]] as const) {
    const refused = await ingest(vendor, body, query);
    assertError(refused, 400, "BAD_REQUEST", /; send several leads to \/recruiting\/ingest\/bulk /);
  }
  assertResponse(await ingest(vendor, { ...lead, leads: [] }), 201);
  await assertStored(vendor, 1);
});
