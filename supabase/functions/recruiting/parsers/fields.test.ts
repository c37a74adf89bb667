import assert from "node:assert/strict";
import type { JsonObject } from "../../_shared/json.ts";
import { Fields } from "./fields.ts";

Deno.test("fields: what is taken does not remain", () => {
  const fields = new Fields({ id: 7, a: { b: " x ", c: { d: 1 } }, list: [1] });
  assert.equal(fields.text("id"), "7");
  assert.equal(fields.text("a.missing", "a.b"), "x");
  assert.deepEqual(fields.rest(), { a: { c: { d: 1 } }, list: [1] });
  assert.deepEqual(fields.value("a.c"), { d: 1 });
  assert.deepEqual(fields.rest(), { list: [1] });
  assert.deepEqual(fields.value("list"), [1]);
  assert.equal(fields.rest(), undefined);
});

Deno.test("fields: blank text is not taken", () => {
  const fields = new Fields({ a: " ", b: null, c: false, d: "x" });
  assert.equal(fields.text("a", "b", "c", "d"), "x");
  assert.deepEqual(fields.rest(), { a: " ", b: null, c: false });
});

Deno.test("fields: a key with a dot in it is found before a path", () => {
  const fields = new Fields({ "a.b": 1, a: { b: 2 } });
  assert.equal(fields.value("a.b"), 1);
});

Deno.test("fields: only a payload's own keys are found, not members of JavaScript objects", () => {
  const payload = JSON.parse('{"__proto__": {"x": 1}, "constructor": "Ann"}') as JsonObject;
  const fields = new Fields(payload);
  assert.equal(fields.value("toString"), undefined);
  assert.equal(fields.value("a.constructor"), undefined);
  assert.equal(fields.text("constructor"), "Ann");
  assert.equal(JSON.stringify(fields.rest()), '{"__proto__":{"x":1}}');
  assert.equal(new Fields({}).peek("__proto__"), undefined);
});

Deno.test("fields: a payload may have any number of spellings of one key", () => {
  const spellings = Array.from({ length: 200_000 }, (_, i) => [
    `name${String.fromCharCode(0x4e00 + i % 20_000)}${"-".repeat(i / 20_000)}`,
    null,
  ]);
  const fields = new Fields({ Name: "Ann", ...Object.fromEntries(spellings) });
  assert.equal(fields.text(...fields.spelt("name")), "Ann");
});

Deno.test("fields: a payload that is no object has no fields", () => {
  for (const payload of [null, 1, "a", true, [{ a: 1 }]]) {
    assert.equal(new Fields(payload).value("a", "0", "length"), undefined);
    assert.equal(new Fields(payload).rest(), undefined);
  }
});
