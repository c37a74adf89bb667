import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  type ApiResponse,
  createOrder,
  createVendor,
  PDF,
  send,
  sql,
  storedLeads,
  storedResumes,
  type Vendor,
  withKey,
} from "./support/client.ts";

function ingestBulk(vendor: Vendor, body: unknown): Promise<ApiResponse> {
  return send("/recruiting/ingest/bulk", { headers: withKey(vendor), body });
}

Deno.test("SPEC 4.2: new leads, duplicates of the database and of the request, and rows that are no leads", async () => {
  const vendor = await createVendor();
  await createOrder(vendor);
  const first = await send("/recruiting/ingest", {
    headers: withKey(vendor),
    body: { first_name: "Old", vendor_lead_id: "known" },
  });
  assert.equal(first.status, 201);

  const { status, body } = await ingestBulk(vendor, {
    leads: [
      { first_name: "A", vendor_lead_id: "1" },
      { last_name: "Nameless", vendor_lead_id: "2" },
      { first_name: "B", vendor_lead_id: "known" },
      "not a lead",
      { first_name: "C", vendor_lead_id: "1" },
      { first_name: "D" },
      { first_name: "D" },
      null,
    ],
  });
  assert.equal(status, 200);
  assert.deepEqual(body, {
    created: 3,
    duplicates: 2,
    errors: [
      { row: 1, reason: "missing first_name" },
      { row: 3, reason: "the lead must be a JSON object" },
      { row: 7, reason: "the lead must be a JSON object" },
    ],
  });
  const [, ...leads] = await storedLeads(vendor);
  assert.deepEqual(leads.map(({ first_name }) => first_name).sort(), ["A", "D", "D"]);
  assert(
    leads.every(({ agency_id, order_id }) => agency_id === null && order_id === null),
    "bulk leads are not distributed",
  );
});

Deno.test("SPEC 4.2: a request with nothing but failing rows or duplicates gets 200", async () => {
  const vendor = await createVendor();
  assert.deepEqual((await ingestBulk(vendor, { leads: [{}] })).body, {
    created: 0,
    duplicates: 0,
    errors: [{ row: 0, reason: "missing first_name" }],
  });
  const leads = [{ first_name: "A", vendor_lead_id: "1" }];
  await ingestBulk(vendor, { leads });
  assert.deepEqual((await ingestBulk(vendor, { leads })).body, {
    created: 0,
    duplicates: 1,
    errors: [],
  });
});

Deno.test("SPEC 4.2: a resume in bulk is not stored, and not kept as text either", async () => {
  const vendor = await createVendor();
  const resume = Buffer.from(PDF).toString("base64");
  const { body } = await ingestBulk(vendor, {
    leads: [{ first_name: "A", resume }, { first_name: "B", resume: "?!" }],
  });
  assert.deepEqual(body, { created: 2, duplicates: 0, errors: [] });
  for (const lead of await storedLeads(vendor)) {
    assert.equal(lead.resume_path, null);
    assert.equal(lead.vendor_metadata.resume_skipped, "bulk");
    assert(!JSON.stringify(lead.vendor_metadata).includes(resume));
  }
  assert.equal((await storedResumes(vendor)).length, 0);
});

for (
  const [what, body] of [
    ["missing", {}],
    ["null", { leads: null }],
    ["empty", { leads: [] }],
    ["an object", { leads: { first_name: "A" } }],
    ["an object with an odd length", { leads: { length: { toString: 1, valueOf: 1 } } }],
    ["asked of an array", [{ first_name: "A" }]],
    ["asked of null", null],
  ] as const
) {
  Deno.test(`SPEC 7: leads that is ${what} is BAD_REQUEST`, async () => {
    const vendor = await createVendor();
    const response = await ingestBulk(vendor, body);
    assert.equal(response.status, 400);
    assert.equal(response.body.error.code, "BAD_REQUEST");
    assert.match(response.body.error.message, /leads|body/);
    assert.equal((await storedLeads(vendor)).length, 0);
  });
}

Deno.test("10,000 rows are taken, one more and bodies above 10 MiB are PAYLOAD_TOO_LARGE", async () => {
  const vendor = await createVendor();
  const leads = Array.from({ length: 10_001 }, (_, n) => ({ first_name: "A", vendor_lead_id: n }));
  const many = await ingestBulk(vendor, { leads });
  assert.equal(many.status, 413);
  assert.match(many.body.error.message, /10,?000/);
  const large = await ingestBulk(vendor, { leads: [{ first_name: "A".repeat(10 * 1024 * 1024) }] });
  assert.equal(large.status, 413);
  assert.equal((await storedLeads(vendor)).length, 0);
  const { body } = await ingestBulk(vendor, { leads: leads.slice(1) });
  assert.deepEqual(body, { created: 10_000, duplicates: 0, errors: [] });
});

Deno.test("race: the same 300 leads in four requests at once, each in another order, are stored once", async () => {
  const vendor = await createVendor();
  const leads = Array.from({ length: 300 }, (_, n) => ({ first_name: "A", vendor_lead_id: n }));
  const orders = [leads, leads.toReversed(), leads.toSorted(() => Math.random() - 0.5), leads];
  const responses = await Promise.all(orders.map((leads) => ingestBulk(vendor, { leads })));
  for (const { status, body } of responses) {
    assert.equal(status, 200);
    assert.equal(body.created + body.duplicates, 300);
  }
  assert.equal(responses.reduce((sum, { body }) => sum + body.created, 0), 300);
  assert.equal((await storedLeads(vendor)).length, 300);
});

Deno.test("a row that only the database refuses is an error row, and the rest is stored", async () => {
  const vendor = await createVendor();
  await sql`alter table public.recruiting_leads add constraint refused check (first_name <> 'Refused') not valid`;
  try {
    const { status, body } = await ingestBulk(vendor, {
      leads: [{ first_name: "A" }, { first_name: "Refused" }, {
        first_name: "B",
        vendor_lead_id: "1",
      }, {
        first_name: "C",
        vendor_lead_id: "1",
      }],
    });
    assert.equal(status, 200);
    assert.equal(body.created, 2);
    assert.equal(body.duplicates, 1);
    assert.deepEqual(body.errors.map(({ row }: { row: number }) => row), [1]);
    assert.equal(typeof body.errors[0].reason, "string");
  } finally {
    await sql`alter table public.recruiting_leads drop constraint refused`;
  }
});

Deno.test("SPEC 7: a batch that fails as a whole is INTERNAL_ERROR and stores nothing", async () => {
  const vendor = await createVendor();
  await sql`revoke select, insert on public.recruiting_leads from service_role`;
  try {
    const { status, body } = await ingestBulk(vendor, { leads: [{ first_name: "A" }] });
    assert.equal(status, 500);
    assert.equal(body.error.code, "INTERNAL_ERROR");
  } finally {
    await sql`grant select, insert on public.recruiting_leads to service_role`;
  }
  assert.equal((await storedLeads(vendor)).length, 0);
});
