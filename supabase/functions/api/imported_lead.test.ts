import assert from "node:assert/strict";
import fc from "fast-check";
import { leadSchema, readImportedLead } from "./imported_lead.ts";

const LEAD = {
  external_id: "20000000-0000-4000-8000-00000000000a",
  first_name: "Walter",
  phone: "(312) 555-0100",
  state: "IL",
  type: "fe",
};

const READ = {
  ...Object.fromEntries(Object.keys(leadSchema.shape).map((field) => [field, null])),
  ...LEAD,
  phone_e164: "+13125550100",
};

Deno.test("an imported lead is stored as sent, trimmed, with its phone in E.164", () => {
  for (
    const [name, fields, expected] of [
      ["the required fields alone", {}, {}],
      ["an external_id in capitals", { external_id: LEAD.external_id.toUpperCase() }, {}],
      ["an external_id of no known version", {
        external_id: "20000000-0000-0000-0000-00000000000a",
      }, { external_id: "20000000-0000-0000-0000-00000000000a" }],
      ["spaces around a text", { first_name: "\t Walter \u00a0" }, {}],
      ["spaces within a text", { first_name: "Mary  Ann" }, { first_name: "Mary  Ann" }],
      ["blank optional fields", {
        ...{ last_name: null, email: null, address: " ", city: "\t", zip: "", language: "\u00a0" },
      }, {}],
      ["numbers", { zip: 60614, phone: 13125550100, address: 0 }, {
        zip: "60614",
        phone: "13125550100",
        address: "0",
      }],
      ["a phone from abroad", { phone: "+44 20 7946 0958" }, {
        phone: "+44 20 7946 0958",
        phone_e164: "+442079460958",
      }],
      ["a phone that is not a number", { phone: "ask Ann" }, { phone: "ask Ann", phone_e164: null }],
      ["unknown fields", { ssn: "1", constructor: 1, index: 9 }, {}],
    ] as const
  ) {
    const { data, error } = readImportedLead({ ...LEAD, ...fields });
    assert.equal(error, null);
    assert.deepEqual(data, { ...READ, ...expected }, name);
  }
});

Deno.test("an item of an import that is not a lead is refused with a reason", () => {
  for (
    const [name, item, reason] of [
      ["no field at all", {}, /^external_id is missing; first_name is missing; phone is missing; /],
      ["an array", [LEAD], /^the lead must be a JSON object$/],
      ["null", null, /^the lead is missing$/],
      [
        "an external_id that is not a UUID",
        { ...LEAD, external_id: "7" },
        /^external_id must be a UUID$/,
      ],
      ["an object for a name", { ...LEAD, last_name: {} }, /^last_name must be a text$/],
      ["an unknown type", { ...LEAD, type: "auto" }, /^type must be one of fwk, csk, br, .*, globe$/],
      ["a list for a type", { ...LEAD, type: ["fe"] }, /^type must be /],
    ] as const
  ) {
    const { data, error } = readImportedLead(item);
    assert.equal(data, null);
    assert.match(error!, reason, name);
  }
});

Deno.test("an imported lead requires each of five fields, not blank", () => {
  for (const field of ["external_id", "first_name", "phone", "state", "type"]) {
    for (const value of [undefined, null, "", " \t", {}, ["x"], false]) {
      const { error } = readImportedLead({ ...LEAD, [field]: value as never });
      assert.match(error ?? "", new RegExp(`^${field} `), JSON.stringify(value));
    }
  }
});

Deno.test("property: any item is a lead or has a reason, and a lead's texts are trimmed and not blank", () => {
  const value = fc.oneof(fc.string(), fc.jsonValue());
  const item = fc.oneof(
    fc.jsonValue(),
    fc.record({ first_name: value, city: value, zip: value, phone: value })
      .map((fields) => ({ ...LEAD, ...fields })),
  );
  fc.assert(fc.property(item, (sent) => {
    const { data, error } = readImportedLead(sent);
    assert.notEqual(data === null, error === null);
    for (const text of Object.values(data ?? {})) {
      if (text !== null) assert(text !== "" && text === text.trim());
    }
  }));
});
