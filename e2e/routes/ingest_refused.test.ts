import assert from "node:assert/strict";
import { ingest, ingestBulk } from "../support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  createVendor,
  send,
  sql,
  storedLeads,
  type Vendor,
  withKey,
} from "../support/client.ts";

const LEAD = { first_name: "A" };

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
      const response = await send(path, { headers, body: { ...LEAD, leads: [LEAD] } });
      assertError(response, 401, "UNAUTHORIZED", /key/);
      assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
    }
    await assertStored(vendor, 0);
  });
}

Deno.test("a revoked key stops at once, even if the isolate remembers its vendor", async () => {
  const vendor = await createVendor();
  assertResponse(await ingest(vendor, LEAD), 201);
  await sql`update public.vendor_api_keys set revoked_at = now() where vendor_id = ${vendor.id}`;
  assertError(await ingest(vendor, LEAD), 401, "UNAUTHORIZED", /key/);
  await assertStored(vendor, 1);
});

for (const parser of [null, "no-such-parser", "constructor"]) {
  Deno.test(`SPEC 7: a vendor whose parser is ${parser} is BAD_REQUEST`, async () => {
    const vendor = await createVendor(parser);
    for (const route of [ingest, ingestBulk]) {
      assertError(await route(vendor, { leads: [LEAD] }), 400, "BAD_REQUEST", /parser/);
    }
  });
}

Deno.test("SPEC 7: a body without a first_name that is a text is BAD_REQUEST and stores nothing", async () => {
  const vendor = await createVendor();
  for (const first_name of [undefined, "  ", "\0", { a: 1 }]) {
    const response = await ingest(vendor, { first_name, last_name: "B" });
    assertError(response, 400, "BAD_REQUEST", /first_name/);
  }
  const nested = '{"a":'.repeat(10_000) + "1" + "}".repeat(10_000);
  assertError(await ingest(vendor, nested), 400, "BAD_REQUEST", /JSON|nested/);
  assertError(await ingest(vendor, []), 400, "BAD_REQUEST", /object/);
  await assertStored(vendor, 0);
});

Deno.test("characters that cannot be stored are dropped or replaced, in keys too", async () => {
  const vendor = await createVendor();
  const names = String.raw`"first_name":"A\u0000n\ud800a 😀","vendor_lead_id":"i\u0000d"`;
  const others = String.raw`"x\u0000y":"\udc00","__proto__":{"a":1}`;
  assertResponse(await ingest(vendor, `{${names},${others}}`), 201);
  const [lead] = await storedLeads(vendor);
  assert.deepEqual([lead!.first_name, lead!.vendor_lead_id], ["An\ufffda 😀", "id"]);
  assert.deepEqual(Object.keys(lead!.vendor_metadata.vendor_fields).sort(), ["__proto__", "xy"]);
});

Deno.test("a JSON body may be sent as text/plain, and as a type that ends in +json", async () => {
  const vendor = await createVendor();
  for (const type of ["text/plain", "application/vnd.vendor+json"]) {
    const headers = { "content-type": type };
    assertResponse(await ingest(vendor, '{"first_name":"A"}', "", headers), 201);
  }
});

Deno.test("a caller with a wrong key and a 20 MB body can read the response UNAUTHORIZED", async () => {
  const response = await send("/recruiting/ingest", {
    headers: { authorization: "Bearer nobody", "content-type": "application/json" },
    body: "x".repeat(20_000_000),
  });
  assertError(response, 401, "UNAUTHORIZED", /key/);
});

Deno.test("several leads on the route for one are refused, and the error names the route for several", async () => {
  const vendor = await createVendor();
  for (const body of [{ leads: [LEAD] }, [LEAD]]) {
    for (const query of ["", "?dry_run=true"]) {
      assertError(
        await ingest(vendor, body, query),
        400,
        "BAD_REQUEST",
        /; send several leads to \/recruiting\/ingest\/bulk /,
      );
    }
  }
  assertError(await ingest(vendor, { lead: LEAD }), 400, "BAD_REQUEST", /first_name/);
  assertResponse(await ingest(vendor, { ...LEAD, leads: [] }), 201);
  await assertStored(vendor, 1);
});
