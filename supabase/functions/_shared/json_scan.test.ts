import assert from "node:assert/strict";
import fc from "fast-check";
import { ApiError, type ErrorCode } from "./errors.ts";
import { type JsonBounds, scanJson } from "./json_scan.ts";

const BOUNDLESS: JsonBounds = {
  depth: Infinity,
  values: Infinity,
  keys: Infinity,
  keyBytes: Infinity,
  textBytes: Infinity,
  fileNumbers: Infinity,
};

function scan(text: string, bounds: Partial<JsonBounds> = {}) {
  return scanJson(new TextEncoder().encode(text), { ...BOUNDLESS, ...bounds });
}

/** Asserts that a text passes with a bound, and is refused with this message by the next lower one. */
function assertBound(
  text: string,
  name: keyof JsonBounds,
  bound: number,
  message: RegExp,
  code: ErrorCode = "PAYLOAD_TOO_LARGE",
): void {
  scan(text, { [name]: bound });
  assert.throws(
    () => scan(text, { [name]: bound - 1 }),
    (error) => error instanceof ApiError && error.code === code && message.test(error.message),
  );
}

/** Measures a JSON value by the bounded quantities. */
function measure(value: unknown): { values: number; depth: number; keys: Set<string> } {
  if (typeof value !== "object" || value === null) return { values: 1, depth: 0, keys: new Set() };
  const inside = Object.values(value).map(measure);
  return {
    values: 1 + inside.reduce((sum, { values }) => sum + values, 0),
    depth: 1 + Math.max(0, ...inside.map(({ depth }) => depth)),
    keys: new Set([...(Array.isArray(value) ? [] : Object.keys(value)), ...inside.flatMap(({ keys }) => [...keys])]),
  };
}

const indents = fc.constantFrom(undefined, 1, "\t", "   ");
const anyText = fc.string({ unit: fc.oneof(fc.constantFrom(...'"\\{}[],:u0dD8é😀'), fc.string()) });
const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "medium" },
    fc.oneof(anyText, fc.double(), fc.integer({ min: -1_000, max: 1_000 }), fc.constant(null)),
    fc.boolean(),
    fc.array(tie("value")),
    fc.dictionary(anyText, tie("value")),
  ),
})).value;

Deno.test("property: values, depth and different keys of any JSON are counted", () => {
  fc.assert(
    fc.property(anyJson, indents, (json, indent) => {
      const text = JSON.stringify(json, null, indent);
      const { values, depth, keys } = measure(json);
      assert.equal(scan(text).values, values);
      scan(text, { values, depth, keys: keys.size });
      assert.throws(() => scan(text, { values: values - 1 }), /more than .* values/);
      if (depth > 0) assert.throws(() => scan(text, { depth: depth - 1 }), /nested deeper/);
      // Two different keys may count as one, and the keys of a small text are not counted.
      const most = Math.min(0.9 * keys.size - 2, text.length / 5 - 1);
      if (most >= 0) assert.throws(() => scan(text, { keys: most }), /different keys/);
    }),
    { numRuns: 150 },
  );
});

Deno.test("property: invalid JSON does not confuse the scan", () => {
  const piece = fc.oneof(
    fc.constantFrom(...'{}[],:"\\ \n-+.eE0129ntfu', '\\u0000"', '"a":', "1e9", "1234567890123456789"),
    fc.string(),
  );
  fc.assert(fc.property(fc.array(piece), (pieces) => {
    scan(pieces.join(""));
  }));
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    scanJson(bytes, BOUNDLESS);
  }));
});

Deno.test("excessive depth is a BAD_REQUEST that names the bound, even if no bracket is closed", () => {
  const message = /^the body is JSON nested deeper than 99 levels$/;
  assertBound("[".repeat(100), "depth", 100, message, "BAD_REQUEST");
  assertBound('{"a":'.repeat(100), "depth", 100, message, "BAD_REQUEST");
});

Deno.test("exceeding any other bound is a PAYLOAD_TOO_LARGE that names it", () => {
  const list = JSON.stringify(Array.from({ length: 1_999 }, (_, n) => [{}, "x", null, -1, 0.5][n % 5]));
  assertBound(list, "values", 2_000, /^the body has more than 1,999 values$/);
  const object = JSON.stringify(Object.fromEntries(Array.from({ length: 50 }, (_, n) => [n, n])));
  assertBound(object, "keys", 50, /^the body has more than 49 different keys$/);
  assertBound('{"aé":1}', "keyBytes", 3, /^the body has more than 2 bytes in one key$/);
  assertBound(`"${"x y ".repeat(2 ** 20)}"`, "textBytes", 2 ** 22 + 2, /MiB besides its files$/);
  const bytes = JSON.stringify({ a: Array(4_096).fill(255) });
  assertBound(bytes, "fileNumbers", 4_096, /^the body has more than 4,095 bytes in arrays$/);
});

Deno.test("a repeated key counts once, wherever it occurs", () => {
  scan(`[${'{"a":1,"b":{"a":2}},'.repeat(1_000)}0]`, { keys: 2 });
});

Deno.test("few of 20,000 different keys are missed", () => {
  const keys = Array.from({ length: 20_000 }, (_, n) => `"question_${n}":1`);
  const text = `{${keys.join()}}`;
  scan(text, { keys: 20_000 });
  assert.throws(() => scan(text, { keys: 19_600 }), /different keys/);
});

const BASE64 = "AbCd+/09".repeat(600);
Deno.test("base64 in any form is a file, not text", () => {
  for (
    const [what, text] of [
      ["base64", BASE64],
      ["base64url with padding", `${BASE64.replaceAll("+", "-").replaceAll("/", "_")}==`],
      ["base64 in lines", BASE64.replaceAll("09", "09\r\n")],
      ["base64 with escaped slashes", BASE64],
      ["a data: URL", `data:application/pdf;name="Ann's résumé.pdf";base64,${BASE64}`],
    ] as const
  ) {
    const json = JSON.stringify({ resume: text });
    const sent = what.includes("slashes") ? json.replaceAll("/", "\\/") : json;
    scan(sent, { textBytes: 20 });
  }
});

Deno.test("prose, short base64 and other alphabets are text, not a file", () => {
  for (
    const [what, text] of [
      ["prose", "Sold insurance for two years, and liked it. ".repeat(100)],
      ["short base64", BASE64.slice(0, 4_000)],
      ["another alphabet", "简历".repeat(3_000)],
    ] as const
  ) {
    assert.throws(() => scan(JSON.stringify({ resume: text }), { textBytes: 3_000 }), /files/, what);
  }
});

Deno.test("a long array of bytes is a file; any other array counts as values", () => {
  const bytes = Array.from({ length: 5_000 }, (_, n) => n % 256);
  scan(JSON.stringify([bytes, bytes]), { values: 3, textBytes: 10 });
  scan(JSON.stringify({ a: bytes, b: [1, 2] }), { values: 5, textBytes: 50 });
  for (
    const list of [
      bytes.slice(0, 4_095),
      [...bytes, 256],
      [...bytes, -1],
      [...bytes, 1.5],
      [...bytes, "x"],
      ["x", ...bytes],
      [...bytes, [1]],
      [[1], ...bytes],
      [...bytes, { a: 1 }, ...bytes],
    ]
  ) {
    const { values } = measure(list);
    const text = JSON.stringify(list);
    scan(text, { values, fileNumbers: 0 });
    assert.throws(() => scan(text, { values: values - 1 }), /values/, text.slice(-20));
    assert.throws(() => scan(text, { textBytes: 9_000 }), /files/, text.slice(-20));
  }
});

Deno.test("a number of 16 characters or with an exponent is detected, a shorter one or a text is not", () => {
  for (const number of ["1234567890123456", "-123456789012345", "1e400", "1E-7"]) {
    assert.equal(scan(`{"a":[0,${number}]}`).hasLongNumber, true, number);
  }
  assert.equal(scan('{"id":"12345678901234567890","n":123456789012345,"price":-1.5}').hasLongNumber, false);
});

Deno.test("an escape of U+0000 or of a surrogate is detected, others are not", () => {
  for (const escape of ["\\u0000", "\\ud800", "\\uDFFF", "\\uD83D\\uDE00", "\\\\\\u0000"]) {
    assert.equal(scan(`{"${escape}": 1}`).hasUnstorable, true, escape);
  }
  for (const escape of ["\\u0001", "\\ud7ff", "\\ue000", "\\\\u0000", "\\u00", "\\n", "u0000"]) {
    assert.equal(scan(`"${escape}"`).hasUnstorable, false, escape);
  }
});
