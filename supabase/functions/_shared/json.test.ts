import assert from "node:assert/strict";
import fc from "fast-check";
import { BATCH_BOUNDS, cleanText, isObject, type Json, type JsonObject, MAX_DEPTH, parseJson } from "./json.ts";

Deno.test("numbers that JavaScript cannot represent keep every digit", () => {
  assert.deepEqual(
    parseJson('{"id": 12345678901234567890, "big": 1e999, "small": 42, "price": 1.5, "list": [9007199254740993]}'),
    { id: "12345678901234567890", big: "1e999", small: 42, price: 1.5, list: ["9007199254740993"] },
  );
});

Deno.test("property: an integer keeps every digit, wherever it stands", () => {
  const big = fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n });
  const anywhere = fc.constantFrom("#", "[#]", "[0,#]", "[ #]", '{"a":#}', '{"a":\n#}', "[[1],\t#]");
  fc.assert(fc.property(big, anywhere, (integer, text) => {
    const parsed = JSON.stringify(parseJson(text.replace("#", String(integer))));
    assert(parsed.includes(String(integer)), parsed);
  }));
});

Deno.test("property: a fraction keeps its value to the last digit, as a number or as its own text", () => {
  const digits = (most: number) => fc.bigInt({ min: 0n, max: 10n ** BigInt(most) });
  const exponent = fc.constantFrom("", "e2", "E-7", "e+20");
  fc.assert(fc.property(digits(9), digits(25), exponent, (integer, fraction, exponent) => {
    const number = `${integer}.${fraction}${exponent}`;
    const parsed = parseJson(number);
    if (typeof parsed === "string") return assert.equal(parsed, number);
    assert(isSameDecimal(JSON.stringify(parsed), number), `${number} became ${parsed}`);
  }));
});

/** Whether two JSON numbers are equal, by exact arithmetic. */
function isSameDecimal(left: string, right: string): boolean {
  const scaled = (text: string) => {
    const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
    const [integer = "", fraction = ""] = mantissa.split(".");
    return BigInt(integer + fraction) * 10n ** BigInt(100 + Number(exponent) - fraction.length);
  };
  return scaled(left) === scaled(right);
}

Deno.test("a number that JavaScript can represent stays a number", () => {
  const numbers = ["0.1", "1.50", "1234567.1234567", "1e5", "100.0e-2", "3.141592653589793"];
  for (const number of [...numbers, "-0.0"]) {
    assert.deepEqual(parseJson(`[${number}]`), [Number(number)], number);
  }
});

Deno.test("an inexact number becomes its own text", () => {
  const fractions = ["1234567.12345678901234", "0.10000000000000000555", "1e-400", "1.5e300"];
  for (const number of [...fractions, "1e400", "-1E+400", "12345678901234567.0"]) {
    assert.deepEqual(parseJson(`{"id":${number}}`), { id: number });
    assert.equal(parseJson(number), number);
  }
  assert.equal(parseJson("-9007199254740993"), "-9007199254740993");
});

Deno.test("an inexact number in an invalid place or form stays an error", () => {
  const wrong = ["{12345678901234567890:1}", "[01234567890123456789]", "[12345678901234567890.]"];
  for (const text of wrong) assert.throws(() => parseJson(text), /not valid JSON/, text);
});

Deno.test("the error says where the JSON becomes invalid, if V8 does, and quotes nothing", () => {
  for (
    const [text, where] of [
      ['{"a": 1,\n "b": 2,\n}', " at line 3, column 1"],
      ['{"name": "Ann"} secret', " at line 1, column 17"],
      ['{\n  "name": "A\tnn"}', " at line 2, column 13"],
      ["[12345678901234567890,\n12345678901234567890 secret]", " at line 2, column 22"],
      ['{"\\u0061": 1,\n secret}', " at line 2, column 2"],
      ['{"name": secret}', " at line 1, column 10"],
      ["secret", " at line 1, column 1"],
      ['{\r\n "name": secret,\r\n "state": "AZ"}', " at line 2, column 10"],
      ['{"first_name": "Ann",\n "last_name": secret,\n "state": "AZ"}', " at line 2, column 15"],
      ['{"first_name": "Ann",\n "last_name": secret}', " at line 2, column 15"],
      ['[{"first_name": secret, "state": "AZ"}, {"first_name": secret, "state": "AZ"}]', ""],
    ] as const
  ) {
    assert.throws(() => parseJson(text), { message: `the body is not valid JSON${where}` }, text);
  }
  for (const text of ['{"a": 1', '{"a', '["a', "[1,", "{"]) {
    assert.throws(() => parseJson(text), { message: "the body is not valid JSON: it ends too early" }, text);
  }
  for (const text of ["", " \n", "\ufeff"]) {
    assert.throws(() => parseJson(text), { code: "BAD_REQUEST", message: "the body is empty" });
  }
});

Deno.test("U+0000 is dropped and lone surrogates are replaced, in values and keys", () => {
  assert.deepEqual(
    parseJson(
      String.raw`{"a\u0000b": "x\u0000y", "list": ["\ud800", "\ud83d\ude00"], "\udc00": null}`,
    ),
    { ab: "xy", list: ["\ufffd", "\u{1f600}"], "\ufffd": null },
  );
  assert.equal(cleanText("a\0b\ud800"), "ab\ufffd");
});

Deno.test("a key named __proto__ stays an ordinary key", () => {
  const value = parseJson(String.raw`{"__proto__": {"admin": true}, "a": "\u0000"}`);
  assert(isObject(value));
  assert.deepEqual(Object.keys(value), ["__proto__", "a"]);
  assert.equal((value as { admin?: unknown }).admin, undefined);
});

Deno.test("nesting up to the limit is accepted, deeper nesting is BAD_REQUEST", () => {
  const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  parseJson(nested(MAX_DEPTH));
  for (const depth of [MAX_DEPTH + 1, 1_000_000]) {
    assert.throws(() => parseJson(nested(depth)), { code: "BAD_REQUEST" });
  }
});

const distinctKeys = (count: number) => `{${Array.from({ length: count }, (_, n) => `"key_${n}":${n}`)}}`;
Deno.test("a record with too much of something is PAYLOAD_TOO_LARGE, and names the limit", () => {
  for (
    const [what, text, message] of [
      ["100,000 values and more", `[${"null,".repeat(100_000)}null]`, /100,000 values/],
      ["25,000 different keys", distinctKeys(25_000), /20,000 different keys/],
      ["a key of 9,000 bytes", `{"${"k".repeat(9_000)}":1}`, /8,192 bytes in one key/],
      ["5 MiB of prose", `"${"Sold a lot. ".repeat(450_000)}"`, /4 MiB besides its files/],
      ["a file of 2,100,000 numbers", `[${"37,".repeat(2_100_000)}37]`, /2,000,000 bytes in/],
    ] as const
  ) {
    assert.throws(() => parseJson(text), { code: "PAYLOAD_TOO_LARGE", message }, what);
  }
});

Deno.test("a batch may have 260,000 values", () => {
  const values = (count: number) => `[${"null,".repeat(count - 2)}null]`;
  assert.equal((parseJson(values(260_000), BATCH_BOUNDS) as Json[]).length, 259_999);
  const message = /260,000 values/;
  assert.throws(() => parseJson(values(260_001), BATCH_BOUNDS), { message });
});

/** Leaves keys with a backslash in the engine's cache of shapes, as the body of another vendor may. */
function parseBefore(text: string): void {
  JSON.parse(text);
}

Deno.test("keys are correct after a body with similar ones", () => {
  for (
    const [before, text, keys] of [
      ['{"a":1,"zz\\\\":0}', '{"a":1,"zz\\"":0}', ["a", 'zz"']],
      ['{"b":1,"p\\\\":0}', '{"b":1,"p\\u0062":0}', ["b", "pb"]],
      ['{"c":1,"__proto_\\\\":0}', '{"c":1,"__proto_\\u005f":{}}', ["c", "__proto__"]],
      ['{"d":1,"q\\\\":0}', '{"d":1,"q\\u0000":"\\u0000"}', ["d", "q"]],
      ['{"e":1,"r\\\\u":0}', '{"e":1,"r\\\\u":0,"r\\u0075x":0}', ["e", "r\\u", "rux"]],
      ['{"f":1,"s\\\\":0}', '{"s\\"":1,"1":0,"\\u0030":0,"s\\u0022":2}', ["0", "1", 's"']],
    ] as const
  ) {
    parseBefore(before);
    assert.deepEqual(Object.keys(parseJson(text) as JsonObject), keys);
    const inside = parseJson(`[${text},[{"x":${text}}]]`) as [JsonObject, [{ x: JsonObject }]];
    assert.deepEqual(Object.keys(inside[0]), keys);
    assert.deepEqual(Object.keys(inside[1][0].x), keys);
  }
});

Deno.test("the keys are correct beside a large file and an inexact number", () => {
  parseBefore('{"a":1,"zz\\\\":0}');
  const file = "AbCd".repeat(2 ** 18);
  const value = parseJson(`{"a":"${file}","zz\\"":["${file}",12345678901234567890]}`);
  assert.deepEqual(value, { a: file, 'zz"': [file, "12345678901234567890"] });
});

Deno.test("a key with an invalid escape is refused", () => {
  for (const key of ["\\x", "\\u00g0", "\\u12", "a\\", "a\\u0062\n"]) {
    assert.throws(() => parseJson(`{"${key}":1}`), /not valid JSON/, key);
  }
});

Deno.test("property: keys are correct after any other body", () => {
  const key = fc.string({ unit: fc.constantFrom(...'ab\\"\n\u00e9\u{1f600}'), maxLength: 4 });
  const objectOf = (item: fc.Arbitrary<Json>) => fc.dictionary(key, item, { maxKeys: 4, noNullPrototype: true });
  const flat = objectOf(fc.constant(0));
  const object = objectOf(fc.oneof(fc.constant(0), flat, fc.array(flat, { maxLength: 3 })));
  fc.assert(
    fc.property(object, fc.boolean(), (value, isAscii) => {
      const json = JSON.stringify(value);
      // Python and PHP escape non-ASCII characters like this.
      const text = isAscii ? json.replace(/[^\x20-\x7e]/g, escapeCharacter) : json;
      assert.equal(JSON.stringify(parseJson(text)), json);
      parseBefore(text);
    }),
    { numRuns: 500 },
  );
});

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
