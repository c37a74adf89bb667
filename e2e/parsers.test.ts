/** A payload of every vendor, sent over HTTP, is compared with the row that is stored. */
import assert from "node:assert/strict";
import {
  fixtureNames,
  readFixture,
} from "../supabase/functions/recruiting/parsers/fixtures/read.ts";
import { MAPPING_CONFIG } from "../supabase/functions/recruiting/parsers/fixtures/mapping_config.ts";
import { parse } from "../supabase/functions/recruiting/parsers/fixtures/parsed.ts";
import { PARSER_NAMES, parserNamed } from "../supabase/functions/recruiting/parsers/index.ts";
import { ingest, ingestBulk } from "./support/applications.ts";
import {
  assertError,
  assertResponse,
  assertStored,
  createOrder,
  createVendor,
  storedLeads,
} from "./support/client.ts";

const fixtures = fixtureNames().filter((name) => name !== "meta_notification");

for (const name of fixtures) {
  const parser = PARSER_NAMES.find((parser) => name === parser || name.startsWith(`${parser}_`))!;

  Deno.test(`${name}: the payload becomes one lead, even if it is sent twice`, async () => {
    const vendor = await createVendor(parser, parser === "mapping" ? MAPPING_CONFIG : {});
    await createOrder(vendor);
    const expected = parse(parserNamed(parser)!, readFixture(name), MAPPING_CONFIG);
    const file = new URL(
      `../supabase/functions/recruiting/parsers/fixtures/${name}.json`,
      import.meta.url,
    );
    const body = await Deno.readTextFile(file);

    const { id, distributed_to } = assertResponse(await ingest(vendor, body), 201);
    const isTest = expected.vendor_metadata.is_test === true;
    assert.equal(distributed_to === null, isTest, "a test lead goes to nobody");

    const [row, ...others] = await storedLeads(vendor);
    assert.deepEqual([row!.id, others.length], [id, 0]);
    assert.equal(row!.first_name, expected.first_name);
    assert.equal(row!.vendor_lead_id, expected.vendor_lead_id ?? null);
    assert.deepEqual(row!.vendor_metadata, JSON.parse(JSON.stringify(expected.vendor_metadata)));
    assert.equal(row!.resume_path !== null, expected.resume !== undefined);

    if (expected.vendor_lead_id === undefined) return;
    assertResponse(await ingest(vendor, body), 200, { id, status: "duplicate" });
  });
}

Deno.test("meta: the response to a bare notification says what to send instead", async () => {
  const vendor = await createVendor("meta");
  const response = await ingest(vendor, readFixture("meta_notification"));
  assertError(response, 400, "BAD_REQUEST", /leadgen notification.*Graph API/);
});

Deno.test("greenhouse: an event that is no new application is BAD_REQUEST and stores nothing", async () => {
  const vendor = await createVendor("greenhouse");
  const body = { ...readFixture("greenhouse_webhook"), action: "reject_candidate" };
  const response = await ingest(vendor, body);
  assertError(response, 400, "BAD_REQUEST", /^not a new application$/);
  await assertStored(vendor, 0);
});

Deno.test("mapping: the response to a configuration that cannot be read names the place", async () => {
  const vendor = await createVendor("mapping", { fields: { first_name: "a[", phone: "b" } });
  const one = await ingest(vendor, { a: ["Ann"] });
  assertError(one, 400, "BAD_REQUEST", /parser_config\.fields\.first_name: cannot read `a\[`/);
  const many = assertResponse(await ingestBulk(vendor, { leads: [{ a: ["Ann"] }] }), 200);
  assert.match(many.errors[0].reason, /parser_config\.fields\.first_name/);
});

Deno.test("every parser reads its vendor's payloads in bulk as well", async () => {
  for (const parser of PARSER_NAMES) {
    const vendor = await createVendor(parser, parser === "mapping" ? MAPPING_CONFIG : {});
    const leads = [readFixture(parser), { unreadable: true }];
    const { body } = await ingestBulk(vendor, { leads });
    assert.deepEqual(body, {
      created: 1,
      duplicates: 0,
      errors: [{ row: 1, reason: "missing first_name" }],
    }, parser);
  }
});
