/** Each payload in fixtures/ becomes the lead in fixtures/leads/ of the same name. */
import assert from "node:assert/strict";
import { MAPPING_CONFIG } from "./fixtures/mapping_config.ts";
import { parsed } from "./fixtures/parsed.ts";
import { fixtureNames, readLead } from "./fixtures/read.ts";
import { PARSER_NAMES, parserNamed } from "./index.ts";

// Meta's notification is no lead: meta.test.ts has the error.
const names = fixtureNames().filter((name) => name !== "meta_notification");

for (const name of names) {
  Deno.test(`${name}: the payload becomes the lead in fixtures/leads/${name}.json`, () => {
    const parser = PARSER_NAMES.find((parser) => name === parser || name.startsWith(`${parser}_`));
    const lead = parsed(parserNamed(parser!)!, name, MAPPING_CONFIG);
    assert.deepEqual(lead, readLead(name));
    assert.notEqual(lead.first_name, undefined);
  });
}

Deno.test("every parser has a payload in fixtures/ of its own name", () => {
  assert.deepEqual(PARSER_NAMES.filter((parser) => !names.includes(parser)), []);
});
