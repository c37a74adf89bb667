/** A payload of every vendor, sent over HTTP, is compared with the row that is stored. */
import assert from "node:assert/strict";
import { readSent, readText } from "../../supabase/functions/recruiting/parsers/fixtures/read.ts";
import { MAPPING_CONFIG } from "../../supabase/functions/recruiting/parsers/fixtures/mapping_config.ts";
import { parse } from "../../supabase/functions/recruiting/parsers/fixtures/parsed.ts";
import { PARSER_NAMES, PARSERS } from "../../supabase/functions/recruiting/parsers/index.ts";
import { ingest, ingestBulk } from "../support/applications.ts";
import { assertResponse, createVendor, storedLeads } from "../support/client.ts";
import { MISSING_FIRST_NAME } from "../../supabase/functions/recruiting/ingest/lead.ts";

Deno.test("a payload of every parser becomes the lead that the parser reads", async () => {
  await Promise.all(PARSER_NAMES.map(async (name) => {
    const vendor = await createVendor(name, name === "mapping" ? MAPPING_CONFIG : {});
    const expected = parse(PARSERS.get(name)!, readSent(name), MAPPING_CONFIG);
    const { id } = assertResponse(await ingest(vendor, readText(name)), 201);
    const [row, ...others] = await storedLeads(vendor);
    assert.deepEqual([row!.id, others.length], [id, 0]);
    assert.equal(row!.first_name, expected.first_name);
    assert.equal(row!.vendor_lead_id, expected.vendor_lead_id ?? null);
    assert.deepEqual(row!.vendor_metadata, JSON.parse(JSON.stringify(expected.vendor_metadata)));
    assert.equal(row!.resume_path !== null, expected.resume !== undefined);

    const leads = [readSent(name), { unreadable: true }];
    const { created, duplicates, errors } = assertResponse(await ingestBulk(vendor, { leads }), 200);
    assert.equal(created + duplicates, 1);
    assert.deepEqual(errors, [{ row: 1, reason: MISSING_FIRST_NAME }], name);
  }));
});

Deno.test("mapping: a configuration that cannot be read is named in each row of a bulk request", async () => {
  const vendor = await createVendor("mapping", { fields: { first_name: "a[", phone: "b" } });
  const { errors } = assertResponse(await ingestBulk(vendor, { leads: [{ a: ["Ann"] }] }), 200);
  assert.match(errors[0].reason, /parser_config\.fields\.first_name/);
});
