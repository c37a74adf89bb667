/** Properties of every parser for any payload. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../_shared/json.ts";
import { MAPPING_CONFIG } from "./fixtures/mapping_config.ts";
import { mayBeFile, withoutFiles } from "./files.ts";
import { fixtureNames, readSent } from "./fixtures/read.ts";
import { PARSER_NAMES, PARSERS } from "./index.ts";
import { compileConfig } from "./mapping_config.ts";
import type { ParsedLead, Parser } from "./parser.ts";

const NAUGHTY_KEYS = ["__proto__", "constructor", "toString", "length", "a.b", ".", "", "0", "data"];
const NAUGHTY_TEXTS = [
  ...["", " ", "\0", "\ud800", "%s", "null", "data:,", "data:;base64,", "https://", ",", '""', '"'],
  ...["O'Brien, ", "JVBERi0xLjQK", "<test lead: dummy data>", "+", "+1", "\u202e", "e\u0301"],
];

const key = fc.oneof(fc.constantFrom(...NAUGHTY_KEYS), fc.string({ maxLength: 8 }));
const leaf: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(...NAUGHTY_TEXTS, null, true, false, -0, 1e21, 0.1),
  fc.string(),
  fc.integer(),
);
const naughty = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;
const anyJson = fc.oneof(fc.jsonValue() as fc.Arbitrary<Json>, naughty);

const FIXTURES = fixtureNames().map((name) => ({ name, payload: readSent(name) }));

/** A payload for this parser with fields dropped, replaced or wrapped at random. */
function mutated(parser: string): fc.Arbitrary<Json> {
  const own = FIXTURES.filter(({ name }) => name === parser || name.startsWith(`${parser}_`));
  assert.notEqual(
    own.length,
    0,
    `write supabase/functions/recruiting/parsers/fixtures/${parser}.json`,
  );
  return fc.tuple(
    fc.constantFrom(...own.map(({ payload }) => payload)),
    fc.array(fc.tuple(fc.nat(), fc.nat(4), anyJson), { maxLength: 4 }),
  ).map(([payload, changes]) => changes.reduce<Json>((value, change) => mutate(value, ...change), payload));
}

/** Changes one position of a value. `where` is the index of the position in reading order. */
function mutate(value: Json, where: number, how: number, by: Json): Json {
  let place = where % countPlaces(value);
  const visit = (item: Json): Json | undefined => {
    if (place-- === 0) return [undefined, by, [item], { nested: item }, JSON.stringify(item)][how];
    if (Array.isArray(item)) return item.map(visit).filter((child) => child !== undefined);
    if (!isObject(item)) return item;
    return Object.fromEntries(
      Object.entries(item).map(([name, child]) => [name, visit(child)] as const)
        .filter((entry): entry is [string, Json] => entry[1] !== undefined),
    );
  };
  return visit(value) ?? null;
}

function countPlaces(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, child) => sum + countPlaces(child), 0);
}

function assertIsLead(lead: ParsedLead): void {
  const { first_name, vendor_lead_id, resume, vendor_metadata, ...others } = lead;
  assert.deepEqual(others, {});
  for (const text of [first_name, vendor_lead_id]) {
    if (text === undefined) continue;
    assert.equal(typeof text, "string");
    assert.notEqual(text, "");
    assert.equal(text, text.trim());
  }
  assert.ok((vendor_lead_id ?? "").length <= 512);
  if (resume !== undefined) {
    assert.equal(typeof resume.base64, "string");
    assert.notEqual(resume.base64, "");
    assert.ok(resume.type === undefined || typeof resume.type === "string");
  }
  assert.ok(isObject(vendor_metadata));
  assert.ok(isObject(JSON.parse(JSON.stringify(vendor_metadata))));
  assert.equal(Object.values(vendor_metadata).includes(undefined as unknown as Json), false);
}

const CONFIGS: Json[] = [{}, MAPPING_CONFIG];

/**
 * Returns the texts of all strings, numbers and booleans in a value, in lower case, except for files, Google's form
 * key, and an array of the bytes of this resume.
 */
function textsIn(value: Json, resume?: string): Set<string> {
  const visit = (item: Json): string[] => {
    if (item === null) return [];
    if (typeof item !== "object") return [String(item).trim().toLowerCase()];
    const isBytes = Array.isArray(item) && item.length > 0 && item.every(Number.isInteger);
    return isBytes && Buffer.from(item as number[]).toString("base64") === resume
      ? []
      : Object.values(item).flatMap(visit);
  };
  return new Set(visit(withoutFiles({ value }))).difference(new Set([""]));
}

/** Asserts that each text of the payload is a text of the lead. */
function assertNothingIsLost(payload: Json, lead: ParsedLead): void {
  const resume = lead.resume?.base64;
  // A resume that cannot be a file is not stored as one, so its text is kept like any other.
  const file = resume !== undefined && mayBeFile(resume) ? resume : null;
  const kept = textsIn(JSON.parse(JSON.stringify({ ...lead, resume: file })));
  const lost = textsIn(payload, resume).difference(kept);
  assert.deepEqual([...lost], [], `lost from ${JSON.stringify(payload)}`);
}

function holdsFor(parse: Parser, payload: Json, config: Json): void {
  const before = JSON.stringify(payload);
  const result = parse(payload, config);
  if (result.error === null) {
    assertIsLead(result.data);
    assertNothingIsLost(payload, result.data);
  } else assert.ok(typeof result.error === "string" && result.error !== "");
  assert.equal(JSON.stringify(payload), before, "the payload is left as it was");
  assert.deepEqual(parse(payload, config), result);
}

for (const name of PARSER_NAMES) {
  Deno.test(`${name} reads any JSON value without throwing and loses no part of it`, () => {
    const parse = PARSERS.get(name);
    assert.ok(parse);
    fc.assert(fc.property(anyJson, fc.constantFrom(...CONFIGS), (payload, config) => {
      holdsFor(parse, payload, config);
    }));
    fc.assert(
      fc.property(mutated(name), fc.constantFrom(...CONFIGS), (payload, config) => {
        holdsFor(parse, payload, config);
      }),
      { numRuns: 100 },
    );
  });
}

Deno.test("an unknown name has no parser", () => {
  for (const name of ["", "unknown", "__proto__", "constructor"]) {
    assert.equal(PARSERS.get(name), undefined);
  }
});

Deno.test("mapping: any configuration can be compiled or has an error", () => {
  const mapping = PARSERS.get("mapping");
  const expression = fc.oneof(
    fc.constantFrom("@", "$", "*", "[]", "a.b", "a[*].b", "keys(@)", "values(@)", "to_string(@)"),
    fc.constantFrom(...["constructor", "__proto__", "merge(@, @)", "@.*.*", "length(@)", "sort(keys(@))"]),
    fc.string(),
  );
  const source = fc.oneof(expression, fc.array(expression), fc.record({ const: leaf }), anyJson);
  const name = fc.oneof(fc.constantFrom("first_name", "email", "phone", "is_test", "job_title", "full_name"), key);
  const config = fc.oneof(
    anyJson,
    fc.record({ fields: fc.dictionary(name, source, { noNullPrototype: true }) }),
    fc.record({
      fields: fc.record({ first_name: expression, tag: expression, resume: fc.record({ data: expression }) }),
    }),
  ) as fc.Arbitrary<Json>;
  fc.assert(
    fc.property(config, anyJson, (config, payload) => {
      holdsFor(mapping!, payload, config);
      assert.equal(mapping!(payload, config).error, compileConfig(config).error);
    }),
    { numRuns: 200 },
  );
});

/** Texts for which a careless step takes quadratic time. _shared/patterns.test.ts tries the regular expressions. */
const LONG = 100_000;
const HOSTILE = [" ", "a", "a, ", "data:", '"'].map((unit) => unit.repeat(LONG / unit.length));

for (const name of PARSER_NAMES) {
  Deno.test(`${name} reads long texts of any kind in linear time`, () => {
    const parse = PARSERS.get(name);
    for (const text of [...HOSTILE, `JVBERi0${HOSTILE[1]}`]) {
      const payload = replaceTexts(readSent(name), text);
      const started = performance.now();
      parse!(payload, MAPPING_CONFIG);
      // A quadratic step over them would take ten seconds.
      assert.ok(performance.now() - started < 3_000, `${text.slice(0, 10)}… took too long`);
    }
  });
}

/** Returns the payload with each text replaced by this one, except for texts that identify a type. */
function replaceTexts(value: JsonObject, text: string): JsonObject {
  const replace = (item: Json, name: string): Json => {
    if (Array.isArray(item)) return item.map((child) => replace(child, name));
    if (isObject(item)) return replaceTexts(item, text);
    return typeof item === "string" && !/type|kind|column_id|^name$/i.test(name) ? text : item;
  };
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, replace(item, name)]));
}
