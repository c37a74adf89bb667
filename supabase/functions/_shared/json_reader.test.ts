import assert from "node:assert/strict";
import fc, { character } from "fast-check";
import { readByKey } from "./json_reader.ts";

/** A reader's result for a text: the value as JSON, or a refusal. */
function outcome(read: (text: string) => unknown, text: string): string {
  try {
    return JSON.stringify(read(text));
  } catch (error) {
    assert(error instanceof SyntaxError);
    return "refused";
  }
}

// No key of these texts has an escape, so JSON.parse reads them correctly.
const keys = fc.constantFrom("", "a", "é", "0", "10", "__proto__", "constructor");
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: character }),
    fc.double(),
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(keys, tie("value"), { maxKeys: 4 }),
  ),
})).value;
const indents = fc.constantFrom(undefined, 1, "\t", "\r\n ");

Deno.test("property: any JSON is read as JSON.parse reads it", () => {
  fc.assert(fc.property(json, indents, (value, indent) => {
    const text = JSON.stringify(value, null, indent);
    assert.equal(JSON.stringify(readByKey(text), null, indent), text);
  }));
});

Deno.test("property: exactly the texts that JSON.parse refuses are refused", () => {
  const pieces = fc.constantFrom(
    ...['{"a":', '"a"', ":", ",", "{", "}", "[", "]", '"', "\\", "1", "-", ".5", "e9", "01"],
    ...["true", "nul", " ", "\n", "\u00a0", "\ufeff", "\u0001", "é", '"\\n"', '"\\x"'],
  );
  const damage = fc.tuple(json, fc.nat(), fc.nat(3), pieces).map(([value, at, length, piece]) => {
    const text = JSON.stringify(value);
    const place = at % (text.length + 1);
    return text.slice(0, place) + piece + text.slice(place + length);
  });
  const texts = fc.oneof(fc.array(pieces).map((list) => list.join("")), damage)
    .filter((text) => !/"(?:[^"\\]|\\.)*\\.(?:[^"\\]|\\.)*"\s*:/s.test(text));
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(outcome(readByKey, text), outcome(JSON.parse, text));
    }),
    { numRuns: 500 },
  );
});

Deno.test("a repeated key keeps its first position and its last value", () => {
  const text = '{"b":1,"a":2,"1":3,"b":4}';
  assert.equal(JSON.stringify(readByKey(text)), '{"1":3,"b":4,"a":2}');
});
