import assert from "node:assert/strict";
import { ingest, ingestBulk } from "./support/applications.ts";
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
} from "./support/client.ts";

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
  ["of 20 MB", `{"first_name":"${"A".repeat(20_000_000)}"}`, 413, /15 MiB/],
];

for (const [what, body, status, message] of BAD_BODIES) {
  Deno.test(`a body that is ${what} is refused and stores nothing`, async () => {
    const vendor = await createVendor();
    const response = await ingest(vendor, body, "", { "content-type": "application/json" });
    assertError(response, status, status === 413 ? "PAYLOAD_TOO_LARGE" : "BAD_REQUEST", message);
    await assertStored(vendor, 0);
  });
}

Deno.test("characters that cannot be stored are dropped or replaced, in keys too", async () => {
  const vendor = await createVendor();
  const names = String.raw`"first_name":"A\u0000n\ud800a 😀","vendor_lead_id":"i\u0000d"`;
  const others = String.raw`"x\u0000y":"\udc00","__proto__":{"a":1}`;
  assertResponse(await ingest(vendor, `{${names},${others}}`), 201);
  const [lead] = await storedLeads(vendor);
  assert.deepEqual([lead!.first_name, lead!.vendor_lead_id], ["An\ufffda 😀", "id"]);
  assert.deepEqual(Object.keys(lead!.vendor_metadata.vendor_fields).sort(), ["__proto__", "xy"]);
});

Deno.test("content types, methods and paths", async () => {
  const vendor = await createVendor();
  const body = '{"first_name":"A"}';
  const ingestAs = (type: string) => ingest(vendor, body, "", { "content-type": type });
  for (const type of ["application/json", "text/plain", "application/vnd.vendor+json"]) {
    assertResponse(await ingestAs(type), 201);
  }
  const form = await ingestAs("multipart/form-data");
  assertError(form, 415, "UNSUPPORTED_MEDIA_TYPE", /json/);
  const get = await send("/recruiting/ingest", { method: "GET" });
  assertError(get, 405, "METHOD_NOT_ALLOWED", /POST/);
  assert.equal(get.headers.get("allow"), "POST");
  assertError(await send("/recruiting/nothing", { body }), 404, "NOT_FOUND", /path/);
});

Deno.test("a caller with a wrong key and a 20 MB body can read the response UNAUTHORIZED", async () => {
  const response = await send("/recruiting/ingest", {
    headers: { authorization: "Bearer nobody", "content-type": "application/json" },
    body: "x".repeat(20_000_000),
  });
  assertError(response, 401, "UNAUTHORIZED", /key/);
});
