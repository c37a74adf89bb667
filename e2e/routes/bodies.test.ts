/** Bodies that are cut short, or larger inside than their bytes say, and the largest that are taken. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { downloadResume, ingest, ingestBulk } from "../support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  atOnce,
  createVendor,
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

Deno.test({
  name: "a body of 65,000 chunks of one byte is refused, and takes little memory",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const vendor = await createVendor();
    const growth = await memoryGrowth("gateway", async () => {
      const connection = await Connection.post("/recruiting/ingest", { ...JSON_TYPE, ...withKey(vendor) });
      const body = `{"first_name":"Ann"${" ".repeat(65_000)}}`;
      for (let at = 0; at < body.length; at += 1_000) {
        await connection.send([...body.slice(at, at + 1_000)].map(chunk).join(""));
      }
      await connection.send(chunk(""));
      const { status, body: response } = await connection.response();
      assert.equal(status, 400);
      assert.match(response.error.message, /small pieces/);
      connection.close();
    });
    assert(growth < 150, `${growth} MiB`);
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
  const fields = `"x":[${"null,".repeat(260_000)}null]`;
  const inTarget = (leads: string) => `${JSON.stringify(target).slice(0, -1)},"leads":${leads}}`;
  const leads = `[{${fields}},${JSON.stringify(lead())}]`;
  const tooMany = JSON.stringify(Array.from({ length: 10_001 }, () => lead()));
  for (
    const [response, limit] of [
      [await ingest(vendor, `{"first_name":"Ann",${fields}}`), /100,000 values/],
      [await ingestBulk(vendor, `{"leads":${leads}}`, JSON_TYPE), /260,000 values/],
      [await sendImport(inTarget(leads), JSON_TYPE), /260,000 values/],
      [await ingestBulk(vendor, `{"leads":${tooMany}}`, JSON_TYPE), /10,?000/],
      [await sendImport(inTarget(tooMany), JSON_TYPE), /10,?000/],
    ] as const
  ) assertError(response, 413, "PAYLOAD_TOO_LARGE", limit);
  await assertStored(vendor, 0);
  assert.equal((await importedLeads(target)).size, 0);
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

Deno.test("two resumes of 10 MiB at once are stored whole", async () => {
  const vendor = await createVendor();
  const sent = { first_name: "Ann", resume: pdfOf(10 * MIB) };
  for (const response of await atOnce(2, () => ingest(vendor, sent))) assertResponse(response, 201);
  await assertStored(vendor, 2, 2);
  const [stored] = await storedLeads(vendor);
  assert.equal((await downloadResume(stored!.resume_path)).length, 10 * MIB);
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
