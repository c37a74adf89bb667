/** A payload of every vendor, sent over HTTP, is compared with the row that is stored. */
import assert from "node:assert/strict";
import { leadNames, readSent, readText } from "../../supabase/functions/recruiting/parsers/fixtures/read.ts";
import { MAPPING_CONFIG } from "../../supabase/functions/recruiting/parsers/fixtures/mapping_config.ts";
import { parse } from "../../supabase/functions/recruiting/parsers/fixtures/parsed.ts";
import { PARSER_NAMES, PARSERS } from "../../supabase/functions/recruiting/parsers/index.ts";
import { ingest, ingestBulk } from "../support/applications.ts";
import { assertResponse, createOrder, createVendor, storedLeads } from "../support/client.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

for (const name of leadNames()) {
  const parser = PARSER_NAMES.find((parser) => name === parser || name.startsWith(`${parser}_`))!;

  Deno.test(`${name}: the payload becomes one lead, even if it is sent twice`, async () => {
    const vendor = await createVendor(parser, parser === "mapping" ? MAPPING_CONFIG : {});
    await createOrder(vendor);
    const expected = parse(PARSERS.get(parser)!, readSent(name), MAPPING_CONFIG);
    const body = readText(name);

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

Deno.test("mapping: a configuration that cannot be read is named in each row of a bulk request", async () => {
  const vendor = await createVendor("mapping", { fields: { first_name: "a[", phone: "b" } });
  const { errors } = assertResponse(await ingestBulk(vendor, { leads: [{ a: ["Ann"] }] }), 200);
  assert.match(errors[0].reason, /parser_config\.fields\.first_name/);
});

Deno.test("every parser reads its vendor's payloads in bulk as well", async () => {
  for (const parser of PARSER_NAMES) {
    const vendor = await createVendor(parser, parser === "mapping" ? MAPPING_CONFIG : {});
    const leads = [readSent(parser), { unreadable: true }];
    const { body } = await ingestBulk(vendor, { leads });
    assert.deepEqual(body, {
      created: 1,
      duplicates: 0,
      errors: [{ row: 1, reason: MISSING_FIRST_NAME }],
    }, parser);
  }
});
