import assert from "node:assert/strict";
import { ingest, ingestBulk, PDF_BASE64 } from "../support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  createOrder,
  createVendor,
  sql,
  storedLeads,
} from "../support/client.ts";
import { refusingLeads } from "../../dev/testing/faults/database.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

Deno.test("SPEC 4.2: new leads, duplicates of the database and of the request, and rows that are not leads", async () => {
  const vendor = await createVendor();
  await createOrder(vendor);
  assertResponse(await ingest(vendor, { first_name: "Old", vendor_lead_id: "known" }), 201);

  const response = await ingestBulk(vendor, {
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
  assertResponse(response, 200, {
    created: 3,
    duplicates: 2,
    errors: [
      { row: 1, reason: MISSING_FIRST_NAME },
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
  assertResponse(await ingestBulk(vendor, { leads: [{}] }), 200, {
    created: 0,
    duplicates: 0,
    errors: [{ row: 0, reason: MISSING_FIRST_NAME }],
  });
  const leads = [{ first_name: "A", vendor_lead_id: "1" }];
  await ingestBulk(vendor, { leads });
  const again = await ingestBulk(vendor, { leads });
  assertResponse(again, 200, { created: 0, duplicates: 1, errors: [] });
});

Deno.test("SPEC 4.2: a resume in bulk is not stored, and not kept as text either", async () => {
  const vendor = await createVendor();
  const response = await ingestBulk(vendor, {
    leads: [{ first_name: "A", resume: PDF_BASE64 }, { first_name: "B", resume: "?!" }],
  });
  assertResponse(response, 200, { created: 2, duplicates: 0, errors: [] });
  for (const lead of await storedLeads(vendor)) {
    assert.equal(lead.resume_path, null);
    assert.equal(lead.vendor_metadata.resume_skipped, "bulk");
    assert(!JSON.stringify(lead.vendor_metadata).includes(PDF_BASE64));
  }
  await assertStored(vendor, 2);
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
    assertError(await ingestBulk(vendor, body), 400, "BAD_REQUEST", /leads|body/);
    await assertStored(vendor, 0);
  });
}

Deno.test("more than 10,000 rows are PAYLOAD_TOO_LARGE", async () => {
  const vendor = await createVendor();
  const leads = Array.from({ length: 10_001 }, () => ({ first_name: "A" }));
  assertError(await ingestBulk(vendor, { leads }), 413, "PAYLOAD_TOO_LARGE", /10,?000/);
  await assertStored(vendor, 0);
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
  await assertStored(vendor, 300);
});

Deno.test("a row that only the database refuses is an error row, and the rest is stored", async () => {
  const vendor = await createVendor();
  const leads = [
    { first_name: "A" },
    { first_name: "Refused" },
    { first_name: "B", vendor_lead_id: "1" },
    { first_name: "C", vendor_lead_id: "1" },
  ];
  const response = await refusingLeads(() => ingestBulk(vendor, { leads }));
  const { reason } = response.body.errors[0];
  assertResponse(response, 200, { created: 2, duplicates: 1, errors: [{ row: 1, reason }] });
  assert.equal(typeof reason, "string");
});

Deno.test("SPEC 7: a batch that fails as a whole is INTERNAL_ERROR and stores nothing", async () => {
  const vendor = await createVendor();
  await sql`revoke select, insert on public.recruiting_leads from service_role`;
  try {
    const response = await ingestBulk(vendor, { leads: [{ first_name: "A" }] });
    assertError(response, 500, "INTERNAL_ERROR", /./);
  } finally {
    await sql`grant select, insert on public.recruiting_leads to service_role`;
  }
  await assertStored(vendor, 0);
});
