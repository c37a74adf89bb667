import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { holds, parse, PDF } from "./fixtures/parsed.ts";
import { mapping, splitLeads } from "./mapping.ts";
import { compileConfig } from "./mapping_config.ts";
import { NOT_A_NEW_APPLICATION } from "./parser.ts";

/** Returns the metadata of a payload with these configured fields. A first name is always found. */
function read(payload: JsonObject, fields: JsonObject) {
  const config = { fields: { first_name: { const: "Ann" }, ...fields } };
  return parse(mapping, payload, config).vendor_metadata;
}

/** Asserts that a lead's metadata contains each text, number and boolean of a payload. */
function assertHoldsAll(payload: Json, metadata: Json): void {
  const texts = (value: Json): string[] =>
    typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [String(value ?? "").trim()];
  const found = new Set(["", ...texts(metadata)]);
  for (const text of texts(payload)) assert.ok(found.has(text), `${text} is lost`);
}

Deno.test("mapping: in a list, the first expression that finds a non-blank value wins", () => {
  const payload = { a: "  ", b: [], c: null, d: "503-555-0166", e: "503-555-0167" };
  assert.equal(read(payload, { phone: ["a", "b", "c", "d", "e"] }).phone, "+15035550166");
  assert.equal(read(payload, { tag: ["a", "b[*].x", { const: "none" }] }).tag, "none");
  assert.equal(read(payload, { tag: { const: false } }).tag, false);
});

Deno.test("mapping: the first text of a list is used where a text is expected", () => {
  const { city, zip, vendor_fields } = read({ a: [" ", "Salem", "Reno"], b: [{ c: 1 }, 97301] }, {
    city: "a",
    zip: "b[*]",
  });
  assert.equal(city, "Salem");
  assert.equal(zip, "97301");
  assert.deepEqual(vendor_fields, { a: [null, null, "Reno"], b: [{ c: 1 }, 97301] });
  assert.equal(read({ a: [["x"]], b: { c: 1 }, d: 7 }, { city: ["a", "b", "d"] }).city, "7");
});

Deno.test("mapping: a field has its type, and nothing of its value is lost", () => {
  for (
    const [field, given, expected] of [
      ["is_test", "yes", true],
      ["is_test", "no", undefined],
      ["submitted_at", "2026-07-29 08:00:00 -0500", "2026-07-29T13:00:00.000Z"],
      ["submitted_at", ["1785312000"], "2026-07-29T08:00:00.000Z"],
      ["consent", true, { given: true }],
      ["consent", ["on", "newsletter"], { given: true }],
      ["consent", { given: "no", ip: "198.51.100.7", other: 1 }, { given: false, ip: "198.51.100.7" }],
      ["job_id", 7, "7"],
      ["job_title", ["Agent", "Manager"], "Agent"],
      ["answers", [{ question: "Licensed?", answer: ["Yes", 2] }], [{ question: "Licensed?", answer: ["Yes", "2"] }]],
      ["answers", [{ label: "Licensed?", value: true, id: 5 }], [{ question: "Licensed?", answer: "true" }]],
      ["answers", { "Licensed?": "Yes", "Since?": 2021 }, [
        { question: "Licensed?", answer: "Yes" },
        { question: "Since?", answer: "2021" },
      ]],
      ["answers", ["Yes", "No"], undefined],
    ] as [string, Json, Json | undefined][]
  ) {
    // As a plain path, and computed.
    for (const expression of ["given", "not_null(given)"]) {
      const metadata = read({ given }, { [field]: expression });
      assert.deepEqual(metadata[field], expected);
      assertHoldsAll({ given }, metadata);
    }
  }
});

Deno.test("mapping: an expression builds the consent", () => {
  const payload = { tcpa: "Yes", form: { words: ["I agree"], stamp: 1785312000 }, ip: {} };
  const consent = "{given: tcpa, text: form.words, at: form.stamp, ip: ip}";
  assert.deepEqual(read(payload, { consent }).consent, {
    given: true,
    text: "I agree",
    at: "2026-07-29T08:00:00.000Z",
  });
});

Deno.test("mapping: the first of several resumes is stored, and the others are described", () => {
  const files = [PDF, "data:image/png;base64,iVBORw0K"];
  for (const [given, data] of [[files, "files"], [files.map((content) => ({ content })), "files[].content"]] as const) {
    const config = { fields: { first_name: { const: "Ann" }, resume: { data } } };
    const { resume, vendor_metadata } = parse(mapping, { files: given }, config);
    assert.equal(resume?.base64, PDF);
    assert.equal(holds(vendor_metadata, PDF), false);
    assert.equal(vendor_metadata.resume_skipped, "another image/png of 6 bytes");
  }
});

Deno.test("mapping: the value of a plain path is taken from the vendor's fields, a computed value is not", () => {
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

/** Invalid fields or configurations with the expected error. */
const WRONG: [fields: Json, reason: RegExp][] = [
  [{}, /^parser_config\.fields: give first_name or full_name$/],
  [{ first_name: "a[" }, /^parser_config\.fields\.first_name: cannot read `a\[`: Syntax/],
  [{ first_name: "a", phone: ["b", "c("] }, /^parser_config\.fields\.phone\.1: .*`c\(`/],
  [{ first_name: "shout(a)" }, /first_name: .*`shout\(a\)`: there is no function shout/],
  [{ first_name: "a", zip: "b || length()" }, /zip: .*length\(\) takes 1 argument/],
  [{ first_name: "pad_left(a, b)" }, /there is no function pad_left/],
  [{ first_name: 5 }, /first_name: give a JMESPath expression/],
  [{ first_name: { constant: "x" } }, /first_name: give a JMESPath expression/],
  [{ first_name: "a", resume: { data: "b[" } }, /fields\.resume\.data: .*`b\[`/],
  [{ first_name: "a", resume: { size: "b" } }, /fields\.resume: .*size/],
  [{ first_name: "a", "Home Town": "b" }, /Home Town: is no usable name/],
  [{ first_name: "a", __proto__x: "b" }, /__proto__x: is no usable name/],
  [{ first_name: "a", vendor_fields: "b" }, /vendor_fields: is filled in by/],
  [{ first_name: "(".repeat(50_000) }, /first_name: cannot read/],
];
const FIELDS = { fields: { first_name: "a" } };
const WRONG_CONFIGS: [config: Json, reason: RegExp][] = [
  [null, /^parser_config: /],
  [{}, /^parser_config\.fields: /],
  [{ ...FIELDS, filds: {} }, /^parser_config: .*filds/],
  [{ ...FIELDS, ignore_when: "event ==" }, /^parser_config\.ignore_when: cannot read `event ==`: /],
  [{ ...FIELDS, ignore_when: { const: true } }, /^parser_config\.ignore_when: give a JMESPath exp/],
  [
    { ...FIELDS, leads: "shout(a)" },
    /^parser_config\.leads: .* `shout\(a\)`: there is no function/,
  ],
  [{ ...FIELDS, leads: ["a"] }, /^parser_config\.leads: give a JMESPath/],
  ...WRONG.map(([fields, reason]): [Json, RegExp] => [{ fields }, reason]),
];
Deno.test("mapping: the error for a wrong configuration names the location", () => {
  for (const [config, reason] of WRONG_CONFIGS) {
    assert.match(compileConfig(config).error ?? "", reason);
    assert.match(mapping({ a: "Ann" }, config).error ?? "", reason);
  }
});

const fields = { first_name: "name" };

Deno.test("mapping: ignore_when ignores a body for which it finds something", () => {
  for (
    const [expression, payload, isIgnored] of [
      ["event == 'ping'", { event: "ping" }, true],
      ["event == 'ping'", { event: "lead" }, false],
      ["event != 'lead.created'", {}, true],
      ["test", { test: true }, true],
      ...[false, null, "", [], {}].map((test) => ["test", { test }, false] as const),
      // It exceeds the limits and is then false: losing a lead is worse than storing a ping.
      ["join(s, split(s, ''))", { s: "a".repeat(20_000) }, false],
    ] as [string, JsonObject, boolean][]
  ) {
    const shown = JSON.stringify(payload).slice(0, 30);
    const { error } = mapping({ name: "Ann", ...payload }, { fields, ignore_when: expression });
    assert.equal(error, isIgnored ? NOT_A_NEW_APPLICATION : null, shown);
  }
});

/** Returns the first names of the leads in a body; null if it is read as one lead. */
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
  assert.equal(split!.parse(split!.leads[0]!).data!.vendor_metadata.form_id, "7");
});

Deno.test("mapping: a body in which leads finds nothing is read as one lead", () => {
  for (const entries of [[], null, "Ann", 5]) {
    assert.equal(firstNames({ entries }, { leads: "entries" }), null, JSON.stringify(entries));
  }
  assert.equal(firstNames({ name: "Ann" }, { leads: "entries" }), null);
  assert.equal(firstNames({ entries: [{ name: "Ann" }] }, {}), null, "leads is not set");
  assert.equal(splitLeads({ entries: [{ name: "Ann" }] }, { leads: "entries" }), null);
  assert.equal(splitLeads({ entries: [{ name: "Ann" }] }, null), null);
});

Deno.test("mapping: ignore_when applies to the body, not to its leads", () => {
  const config = { leads: "entries", ignore_when: "event != 'lead.created'" };
  const entries = [{ name: "Ann" }];
  assert.deepEqual(firstNames({ event: "lead.created", entries }, config), ["Ann"]);
  assert.equal(firstNames({ event: "lead.deleted", entries }, config), null);
  const { error } = mapping({ event: "lead.deleted", entries }, { fields, ...config });
  assert.equal(error, NOT_A_NEW_APPLICATION);
});

Deno.test("property: any body is split, ignored or read without throwing", () => {
  const expression = fc.constantFrom("@", "a", "a[]", "*", "a.*[]", "[].a", "a || b", "keys(@)");
  const config = fc.record({ ignore_when: expression, leads: expression }, { requiredKeys: [] });
  const counts = { split: 0, ignored: 0, read: 0 };
  fc.assert(fc.property(fc.jsonValue() as fc.Arbitrary<Json>, config, (value, config) => {
    const payload = { a: value, b: [value] };
    const split = splitLeads(payload, { fields, ...config });
    const { error } = mapping(payload, { fields, ...config });
    if (error === NOT_A_NEW_APPLICATION) assert.equal(split, null);
    else assert.equal(error, null);
    for (const lead of split?.leads ?? []) assert.equal(split!.parse(lead).error, null);
    counts[split !== null ? "split" : error !== null ? "ignored" : "read"]++;
  }));
  assert.ok(Object.values(counts).every((count) => count > 0), JSON.stringify(counts));
});

Deno.test("mapping: leads does not apply on a route for one lead", () => {
  const lead = parse(mapping, { name: "Ann", entries: [{ name: "Bo" }] }, { fields, leads: "entries" });
  assert.equal(lead.first_name, "Ann");
});
