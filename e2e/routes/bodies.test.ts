/** Bodies that are cut short, or larger inside than their bytes say, and the largest that are taken. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import fc from "fast-check";
import { downloadResume, ingest, ingestBulk } from "../support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  atOnce,
  createVendor,
  PDF,
  pdfOf,
  send,
  storedLeads,
  withKey,
} from "../support/client.ts";
import { chunk, Connection } from "../support/connection.ts";
import { createTarget, importLeads, lead, sendImport, storedLeads as importedLeads } from "../support/leads.ts";
import { memoryGrowth } from "../support/processes.ts";
import { FORM_TYPE, JSON_TYPE, type Route, routes } from "../support/routes.ts";
import { MIB } from "../../supabase/functions/_shared/units.ts";

for (
  const [who, headers, chunks, expected] of [
    ["a stranger", () => ({}), 65_000, 401],
    ["a vendor", withKey, 65_000, 400],
    ["a vendor", withKey, 900, 201],
  ] as const
) {
  Deno.test({
    name: `a body of ${chunks} chunks of one byte from ${who} takes little memory`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      const vendor = await createVendor();
      const growth = await memoryGrowth("gateway", async () => {
        const sent = { ...JSON_TYPE, ...headers(vendor) };
        const connection = await Connection.post("/recruiting/ingest", sent);
        const body = `{"first_name":"Ann"${" ".repeat(chunks - 20)}}`;
        for (let at = 0; at < body.length; at += 1_000) {
          await connection.send([...body.slice(at, at + 1_000)].map(chunk).join(""));
        }
        await connection.send(chunk(""));
        const { status, body: response } = await connection.response();
        assert.equal(status, expected);
        if (status === 400) assert.match(response.error.message, /small pieces/);
        connection.close();
      });
      assert(growth < 150, `${growth} MiB`);
    },
  });
}

Deno.test("strangers who send millions of tiny chunks hold up no vendor", async () => {
  const vendor = await createVendor();
  const tiny = chunk("a").repeat(10_000);
  const floods = await Promise.all(
    ["/recruiting/ingest", "/recruiting/webhooks/unknown"].map((path) => Connection.post(path, JSON_TYPE)),
  );
  const sending = floods.map(async (flood) => {
    // Until the function hangs up.
    for (let sent = 0; sent < 1_200_000; sent += 10_000) await flood.send(tiny);
  });
  for (const promise of sending) promise.catch(() => {});
  for (let n = 0; n < 20; n++) {
    const started = performance.now();
    assert.equal((await ingest(vendor, { first_name: "Ann" })).status, 201);
    assert(performance.now() - started < 10_000);
  }
  for (const flood of floods) flood.close();
  await Promise.allSettled(sending);
});

Deno.test({
  name: "400 strangers who send a text message byte by byte take little memory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const headers = { "x-twilio-signature": "forged", ...FORM_TYPE };
    const growth = await memoryGrowth("gateway", async () => {
      const connections = await atOnce(400, () => Connection.post("/recruiting/sms/inbound", headers));
      for (let byte = 0; byte < 20; byte++) {
        await Promise.all(connections.map((connection) => connection.send(chunk("a"))));
        await delay(50);
      }
      for (const connection of connections) connection.close();
    });
    assert(growth < 150, `${growth} MiB`);
    assert.equal((await send("/recruiting/sms/inbound", { headers, body: "a=1" })).status, 401);
  },
});

Deno.test("SPEC 5, 7: a stranger gets the response though the body never comes; on Twilio's routes a missing signature comes before type and size", async () => {
  const announced = { "content-length": "1000000" };
  const json = { ...JSON_TYPE, ...announced };
  const expected: [string, Record<string, string>, number][] = [
    ["/recruiting/ingest", json, 401],
    ["/recruiting/ingest/bulk", json, 401],
    ["/api/leads/import", json, 401],
    ["/api/leads/log-presentation-activity", json, 401],
    ["/recruiting/sms/inbound", FORM_TYPE, 401],
    ["/recruiting/sms/status", { ...FORM_TYPE, "content-length": "100" }, 401],
    ["/recruiting/sms/inbound", { "content-length": "100" }, 401],
    ["/recruiting/sms/inbound", json, 401],
    ["/recruiting/sms/status", { ...FORM_TYPE, ...announced }, 401],
    ["/recruiting/sms/inbound", { ...JSON_TYPE, "x-twilio-signature": "forged" }, 415],
    ["/recruiting/sms/status", { ...FORM_TYPE, ...announced, "x-twilio-signature": "x" }, 413],
  ];
  await Promise.all(expected.map(async ([path, headers, status]) => {
    const connection = await Connection.post(path, headers);
    assert.equal((await connection.response()).status, status, path);
    connection.close();
  }));
});

Deno.test("a body that breaks off stores nothing", async () => {
  const all = await routes();
  for (const { path, headers, body } of all) {
    const connection = await Connection.post(path, { ...headers, "content-length": "1000" });
    await connection.send(body);
    connection.close();
    const chunked = await Connection.post(path, headers);
    await chunked.send(chunk(body));
    chunked.close();
  }
  for (const { path, headers, body, stored } of all.slice(0, 5)) {
    assert.equal(await stored(), 0, path);
    assert((await send(path, { headers, body })).status < 300, path);
    assert.equal(await stored(), 1, path);
  }
  for (const { path, stored } of all.slice(5)) assert.equal(await stored(), 0, path);
});

Deno.test("a body beyond a bound is PAYLOAD_TOO_LARGE, names the limit and stores nothing", async () => {
  const [vendor, target] = [await createVendor(), await createTarget()];
  const keys = Array.from({ length: 25_000 }, (_, n) => `"key_${n}":${n}`);
  for (
    const [fields, ofOne, ofMany] of [
      [`"x":[${"null,".repeat(260_000)}null]`, /100,000 values/, /260,000 values/],
      [keys.join(), /20,000 different keys/, /20,000 different keys/],
    ] as const
  ) {
    const leads = `[{${fields}},${JSON.stringify(lead())}]`;
    const one = await ingest(vendor, `{"first_name":"Ann",${fields}}`);
    assertError(one, 413, "PAYLOAD_TOO_LARGE", ofOne);
    const bulk = await ingestBulk(vendor, `{"leads":${leads}}`, JSON_TYPE);
    assertError(bulk, 413, "PAYLOAD_TOO_LARGE", ofMany);
    const body = `${JSON.stringify(target).slice(0, -1)},"leads":${leads}}`;
    assertError(await sendImport(body, JSON_TYPE), 413, "PAYLOAD_TOO_LARGE", ofMany);
  }
  await assertStored(vendor, 0);
  assert.equal((await importedLeads(target)).size, 0);
});

/** An applicant of 23 texts and of about so many bytes. */
function applicant(bytes: number) {
  const fields = { first_name: "Ann", vendor_lead_id: crypto.randomUUID(), phone: "312-555-0187" };
  const others = Array.from({ length: 20 }, (_, n) => [`question_${n}`, ""] as const);
  const left = bytes - JSON.stringify({ ...fields, ...Object.fromEntries(others) }).length;
  return { ...fields, ...Object.fromEntries(others.map(([name]) => [name, "a b ".repeat(Math.floor(left / 80))])) };
}

Deno.test("10,000 leads of 23 fields and nearly 10 MiB are taken in bulk", async () => {
  const vendor = await createVendor();
  const leads = Array.from({ length: 10_000 }, () => applicant(1_000));
  const body = JSON.stringify({ leads });
  assert(body.length > 9 * MIB && body.length < 10 * MIB, `${body.length}`);
  const response = await ingestBulk(vendor, body, JSON_TYPE);
  assertResponse(response, 200, { created: 10_000, duplicates: 0, errors: [] });
});

Deno.test("10,000 leads of all fields and nearly 10 MiB are imported", async () => {
  const text = { last_name: "Lee", email: "a@b.example", city: "Chicago", zip: "1", language: "en" };
  const all = { ...text, address: "1 Main ".repeat(105) };
  const leads = Array.from({ length: 10_000 }, () => lead(all));
  const target = await createTarget();
  assert(JSON.stringify({ leads }).length > 9 * MIB);
  const { status, body } = await importLeads(target, leads);
  assert.deepEqual([status, body.imported, body.failed], [200, 10_000, 0]);
});

Deno.test("three resumes of 10 MiB at once are all stored whole, one after another or not", async () => {
  const vendor = await createVendor();
  const sent = { first_name: "Ann", resume: pdfOf(10 * MIB) };
  for (const response of await atOnce(3, () => ingest(vendor, sent))) assertResponse(response, 201);
  await assertStored(vendor, 3, 3);
  const [stored] = await storedLeads(vendor);
  assert.equal((await downloadResume(stored!.resume_path)).length, 10 * MIB);
});

Deno.test("a resume as an array of 1,000,000 bytes is stored, another such array is not kept", async () => {
  const vendor = await createVendor("monster");
  const bytes = [...new Uint8Array([...PDF, ...Array(1_000_000 - PDF.length).fill(200)])];
  const lead = { FirstName: "Ann", FileContents: bytes, FileExt: ".pdf", Photo: bytes };
  assertResponse(await ingest(vendor, lead), 201);
  await assertStored(vendor, 1, 1);
  const [stored] = await storedLeads(vendor);
  assert(JSON.stringify(stored!.vendor_metadata).length < 1_000);
});

const hostileText = fc.constantFrom(
  ...["", "\0", "\ud800", "a".repeat(20_000), " ".repeat(20_000), "é".repeat(3_000), "1e999"],
  ...["=".repeat(9_000), "data:,", "9".repeat(5_000), "%".repeat(20_000), "{", "'; --", "\u202e"],
);
const hostile = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.oneof(hostileText, fc.constantFrom(null, true, -0, 1e308, 1e-308, 2 ** 53)),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(fc.oneof(hostileText, fc.string()), tie("value"), { maxKeys: 5 }),
    fc.constant(Array(5_000).fill(7)),
    fc.constant(JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`)),
  ),
})).value;

Deno.test("property: no body makes a route fail, whatever stands in its fields", async () => {
  const names = [
    ...["first_name", "last_name", "full_name", "email", "phone", "address", "city", "state"],
    ...["zip", "country", "vendor_lead_id", "resume", "is_test", "external_id", "type", "language"],
    ...["x", "agency_id", "agent_id", "lead_id", "distribution_id"],
  ];
  const record = fc.dictionary(fc.constantFrom(...names), hostile, { noNullPrototype: true });
  const [single, bulk, importing, logging, webhook] = await routes();
  const target = JSON.parse(importing.body);
  const activity = JSON.parse(logging.body);
  await fc.assert(
    fc.asyncProperty(record, fc.boolean(), async (fields, isNamed) => {
      const named = isNamed ? { ...fields, first_name: "Ann" } : fields;
      const bodies: [Route, object][] = [
        [single, named],
        [bulk, { leads: [named, fields, { first_name: "Ann" }] }],
        [importing, { ...target, leads: [lead(), { ...lead(), ...fields }, fields] }],
        [importing, { ...target, ...fields }],
        [logging, { ...activity, ...fields }],
        [webhook, [named, fields]],
      ];
      for (const [{ path, headers }, body] of bodies) {
        const { status } = await send(path, { headers, body });
        assert(status < 500, `${path} responds with ${status}`);
      }
    }),
    { numRuns: 10, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false },
  );
});
