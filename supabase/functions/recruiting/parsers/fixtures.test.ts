/** In each file of fixtures/, the payload `sent` becomes `lead`. */
import assert from "node:assert/strict";
import { MAPPING_CONFIG } from "./fixtures/mapping_config.ts";
import { parsed } from "./fixtures/parsed.ts";
import { leadNames, readLead } from "./fixtures/read.ts";
import { PARSER_NAMES, PARSERS } from "./index.ts";

const names = leadNames();

for (const name of names) {
  Deno.test(`${name}: the payload becomes the lead in fixtures/${name}.json`, () => {
    const parser = PARSER_NAMES.find((parser) => name === parser || name.startsWith(`${parser}_`));
    const lead = parsed(PARSERS.get(parser!)!, name, MAPPING_CONFIG);
    assert.deepEqual(lead, readLead(name));
    assert.notEqual(lead.first_name, undefined);
  });
}

Deno.test("every parser has a payload of its own name in fixtures/", () => {
  assert.deepEqual(PARSER_NAMES.filter((parser) => !names.includes(parser)), []);
});
