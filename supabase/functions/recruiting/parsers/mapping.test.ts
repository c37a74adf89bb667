import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { MAPPING_CONFIG } from "./fixtures/mapping_config.ts";
import { holds, parse, parsed, PDF } from "./fixtures/parsed.ts";
import { mapping, splitLeads } from "./mapping.ts";
import { compileConfig } from "./mapping_config.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";

/** The metadata that the parser makes of a payload with these fields configured. A first name is always found. */
function read(payload: JsonObject, fields: JsonObject) {
  const config = { fields: { first_name: { const: "Ann" }, ...fields } };
  return parse(mapping, payload, config).vendor_metadata;
}

Deno.test("mapping: a payload of no known vendor", () => {
  const lead = parsed(mapping, "mapping", MAPPING_CONFIG);
  assert.deepEqual(lead, {
    first_name: "Rosa",
    vendor_lead_id: "555001",
    resume: { base64: PDF, type: "pdf" },
    vendor_metadata: {
      source: "job fair",
      last_name: "Lindqvist",
      email: "rosa@example.com",
      phone: "+15035550166",
      phone_raw: "503-555-0166",
      state: "OR",
      is_test: true,
      vendor_fields: {
        event: "lead.created",
        lead: {
          contacts: [
            { kind: "email", value: "rosa@example.com" },
            { kind: "mobile", value: "503-555-0166" },
          ],
          residence: { region: "Oregon" },
          documents: [{ kind: "cv", mime: "application/pdf" }],
        },
      },
    },
  });
  assert.equal(holds(lead.vendor_metadata, PDF), false);
});

Deno.test("mapping: in a list, the first that finds a value which is not blank wins", () => {
  const payload = { a: "  ", b: [], c: null, d: "503-555-0166", e: "503-555-0167" };
  assert.equal(read(payload, { phone: ["a", "b", "c", "d", "e"] }).phone, "+15035550166");
  assert.equal(read(payload, { tag: ["a", "b[*].x", { const: "none" }] }).tag, "none");
  assert.equal(read(payload, { tag: { const: false } }).tag, false);
});

Deno.test("mapping: a field that must be text passes over a list or an object", () => {
  assert.equal(read({ a: ["x"], b: { c: 1 }, d: 7 }, { city: ["a", "b", "d"] }).city, "7");
});

Deno.test("mapping: a value found by a plain path is taken from the vendor's fields, a computed one is not", () => {
  const { vendor_fields } = read({ "Town Hall": "Salem", b: { c: "OR", d: 1 } }, {
    city: '"Town Hall"',
    state: "upper(b.c)",
  });
  assert.deepEqual(vendor_fields, { b: { c: "OR", d: 1 } });
});

Deno.test("mapping: the result of an expression can be stored, even if it splits characters", () => {
  const { tag, note } = read({ name: "\u{1f600}b" }, {
    tag: "split(name, '')",
    note: '`"a\\u0000b"`',
  });
  assert.deepEqual(tag, ["\ufffd", "\ufffd", "b"]);
  assert.equal(note, "ab");
});

Deno.test("mapping: JavaScript's own members are not found", () => {
  const metadata = read({ a: {} }, {
    city: "constructor",
    zip: "a.toString",
    one: "__proto__",
    two: "a.constructor",
    three: "to_array(constructor)[0]",
  });
  assert.deepEqual(metadata, { vendor_fields: { a: {} } });
});

Deno.test("mapping: an expression that the payload does not fit finds nothing", () => {
  assert.deepEqual(read({ n: 5 }, { city: "split(n, ' ')[0]", zip: "n.a.b" }), {
    vendor_fields: { n: 5 },
  });
});

for (
  const [config, reason] of [
    [null, /^parser_config: /],
    [{}, /^parser_config\.fields: /],
    [{ fields: {} }, /^parser_config\.fields: give first_name or full_name$/],
    [
      { fields: { first_name: "a[" } },
      /^parser_config\.fields\.first_name: cannot read `a\[`: Syntax/,
    ],
    [
      { fields: { first_name: "a", phone: ["b", "c("] } },
      /^parser_config\.fields\.phone\.1: .*`c\(`/,
    ],
    [
      { fields: { first_name: "shout(a)" } },
      /first_name: .*`shout\(a\)`: there is no function shout/,
    ],
    [{ fields: { first_name: "a", zip: "b || length()" } }, /zip: .*length\(\) takes 1 argument/],
    [{ fields: { first_name: "pad_left(a, b)" } }, /there is no function pad_left/],
    [{ fields: { first_name: 5 } }, /first_name: give a JMESPath expression/],
    [{ fields: { first_name: { constant: "x" } } }, /first_name: give a JMESPath expression/],
    [{ fields: { first_name: "a", resume: { data: "b[" } } }, /fields\.resume\.data: .*`b\[`/],
    [{ fields: { first_name: "a", resume: { size: "b" } } }, /fields\.resume: .*size/],
    [{ fields: { first_name: "a", "Home Town": "b" } }, /Home Town: is no usable name/],
    [{ fields: { first_name: "a", __proto__x: "b" } }, /__proto__x: is no usable name/],
    [{ fields: { first_name: "a", vendor_fields: "b" } }, /vendor_fields: is filled in by/],
    [{ fields: { first_name: "a" }, filds: {} }, /^parser_config: .*filds/],
    [{ fields: { first_name: "(".repeat(50_000) } }, /first_name: cannot read/],
    [
      { fields: { first_name: "a" }, ignore_when: "event ==" },
      /^parser_config\.ignore_when: cannot read `event ==`: /,
    ],
    [
      { fields: { first_name: "a" }, ignore_when: { const: true } },
      /^parser_config\.ignore_when: give a JMESPath expression$/,
    ],
    [
      { fields: { first_name: "a" }, leads: "shout(leads)" },
      /^parser_config\.leads: cannot read `shout\(leads\)`: there is no function shout/,
    ],
    [{ fields: { first_name: "a" }, leads: ["a"] }, /^parser_config\.leads: give a JMESPath/],
  ] as [Json, RegExp][]
) {
  Deno.test(`mapping: the error for ${JSON.stringify(config).slice(0, 70)} names the place`, () => {
    assert.match(compileConfig(config).error ?? "", reason);
    assert.match(mapping({ a: "Ann" }, config).error ?? "", reason);
  });
}

Deno.test("mapping: a usable configuration is compiled", () => {
  assert.equal(compileConfig(MAPPING_CONFIG).error, null);
});

const fields = { first_name: "name" };

for (
  const [expression, payload, isIgnored] of [
    ["event == 'ping'", { event: "ping" }, true],
    ["event == 'ping'", { event: "lead" }, false],
    ["event == 'ping'", {}, false],
    ["event != 'lead.created'", {}, true],
    ["test", { test: true }, true],
    ["test", { test: "no" }, true],
    ["test", { test: 0 }, true],
    ["test", { test: [false] }, true],
    ...[false, null, "", [], {}].map((test) => ["test", { test }, false] as const),
    // It needs more than it may: a lead is worth more than a ping.
    ["join(s, split(s, ''))", { s: "a".repeat(20_000) }, false],
  ] as [string, JsonObject, boolean][]
) {
  const shown = JSON.stringify(payload).slice(0, 30);
  Deno.test(`mapping: ignore_when ${expression} is ${isIgnored} of ${shown}`, () => {
    const { error } = mapping({ name: "Ann", ...payload }, { fields, ignore_when: expression });
    assert.equal(error, isIgnored ? NOT_A_NEW_APPLICATION : null);
  });
}

/** The first names of the leads in a body; null where it is read as one lead. */
function firstNames(payload: Json, config: JsonObject): (string | undefined)[] | null {
  const split = splitLeads(payload, { fields, ...config });
  return split && split.leads.map((lead) => split.parse(lead).data?.first_name);
}

Deno.test("mapping: leads splits a body, and the fields are read in each lead", () => {
  const ann = { name: "Ann" };
  const payload: Json = { form: 7, entries: [ann, { name: "Bo", test: true }, { name: "C" }] };
  assert.deepEqual(firstNames(payload, { leads: "entries" }), ["Ann", "Bo", "C"]);
  assert.deepEqual(firstNames(payload, { leads: "entries[?!test]" }), ["Ann", "C"]);
  assert.deepEqual(firstNames({ entries: ann }, { leads: "entries" }), ["Ann"]);
  assert.deepEqual(firstNames([payload, payload], { leads: "[].entries[0]" }), ["Ann", "Ann"]);

  const split = splitLeads(payload, {
    fields: { ...fields, form_id: "form" },
    leads: "entries[*].merge({form: $.form}, @)",
  });
  assert.equal(split!.parse(split!.leads[0]!).data!.vendor_metadata.form_id, 7);
});

Deno.test("mapping: a body in which leads finds none is read as one lead", () => {
  for (const entries of [[], null, "Ann", 5]) {
    assert.equal(firstNames({ entries }, { leads: "entries" }), null, JSON.stringify(entries));
  }
  assert.equal(firstNames({ name: "Ann" }, { leads: "entries" }), null);
  assert.equal(firstNames({ entries: [{ name: "Ann" }] }, {}), null, "leads is not set");
  assert.equal(splitLeads({ entries: [{ name: "Ann" }] }, { leads: "entries" }), null);
  assert.equal(splitLeads({ entries: [{ name: "Ann" }] }, null), null);
});

Deno.test("mapping: ignore_when is about the body, not about its leads", () => {
  const config = { leads: "entries", ignore_when: "event != 'lead.created'" };
  const entries = [{ name: "Ann" }];
  assert.deepEqual(firstNames({ event: "lead.created", entries }, config), ["Ann"]);
  assert.equal(firstNames({ event: "lead.deleted", entries }, config), null);
  const { error } = mapping({ event: "lead.deleted", entries }, { fields, ...config });
  assert.equal(error, NOT_A_NEW_APPLICATION);
});

Deno.test("mapping: an entry that is no object has no first name", () => {
  assert.deepEqual(firstNames({ entries: ["Ann", { name: "Bo" }, null] }, { leads: "entries" }), [
    undefined,
    "Bo",
    undefined,
  ]);
});

Deno.test("mapping: on a route for one lead, leads does not apply", () => {
  const lead = parse(mapping, { name: "Ann", entries: [{ name: "Bo" }] }, {
    fields,
    leads: "entries",
  });
  assert.equal(lead.first_name, "Ann");
});
