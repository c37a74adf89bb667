import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { parse } from "./fixtures/parsed.ts";
import { greenhouse } from "./greenhouse.ts";
import { readSent } from "./fixtures/read.ts";

/** The lead of the webhook's fixture with these fields of the application and the candidate. */
function withFields(application: JsonObject, candidate: JsonObject): JsonObject {
  const { payload } = readSent("greenhouse_webhook") as Record<
    string,
    Record<string, JsonObject>
  >;
  const given = { ...payload!.application!.candidate as JsonObject, ...candidate };
  const whole = { ...payload!.application, ...application, candidate: given };
  return parse(greenhouse, { payload: { application: whole } }).vendor_metadata;
}

Deno.test("greenhouse: the state comes from the address, or from a custom field of this name", () => {
  const addresses = [{ value: "455 Broadway New York, NY 10280", type: "home" }];
  assert.equal(withFields({}, { addresses }).state, "NY");
  assert.equal(withFields({}, { addresses: [{ value: "123 Fake St.", type: "home" }] }).state, undefined);
  const field = (name: string): Json => ({ name, type: "single_select", value: "Texas" });
  const named: JsonObject[] = [
    { state: field("State") },
    { licensed: { name: "Licensed in", value: "OH" }, region_2: field("State of residence") },
  ];
  for (const custom_fields of named) {
    assert.equal(withFields({}, { addresses, custom_fields }).state, "TX");
  }
  for (const value of [null, "prefer not to say"]) {
    assert.equal(withFields({}, { addresses, custom_fields: { state: { value } } }).state, "NY");
  }
  const abroad = { addresses: [], custom_fields: { state: { value: "Bavaria" } } };
  assert.equal(withFields({}, abroad).state_raw, "Bavaria");
});

Deno.test("greenhouse: answers and location in the Harvest API's format of an application", () => {
  const answers = [{ question: "Are you licensed?", answer: "Yes" }, { question: "Website", answer: null }];
  const location = { address: "New York, New York, USA" };
  const read = withFields({ answers, location }, { addresses: [] });
  assert.deepEqual(read.answers, answers);
  assert.equal(read.state, "NY");
  assert.equal(withFields({ location: { address: "Paris, France" } }, { addresses: [] }).state, undefined);
});

Deno.test("greenhouse: a webhook whose action a relay dropped is read", () => {
  const { payload } = readSent("greenhouse_webhook") as { payload: JsonObject };
  assert.equal(parse(greenhouse, { payload }).first_name, "Harper");
});
