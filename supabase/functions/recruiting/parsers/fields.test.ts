import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { Fields } from "./fields.ts";

Deno.test("fields: taken fields do not remain", () => {
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

Deno.test("fields: a key that contains a dot takes precedence over a path", () => {
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
  const fields = new Fields(Object.fromEntries([["Name", "Ann"], ...spellings]));
  assert.equal(fields.text(...fields.spelt("name")), "Ann");
});

Deno.test("fields: a payload that is not an object has no fields, and all of it remains", () => {
  for (const payload of [1, "a", true, [{ a: 1 }]]) {
    assert.equal(new Fields(payload).value("a", "1", "length", "-1", "0.0", "00"), undefined);
    assert.deepEqual(new Fields(payload).rest({}), payload);
  }
  for (const payload of [null, {}, []]) assert.equal(new Fields(payload).rest({}), undefined);
});

Deno.test("fields: a path may lead into lists", () => {
  const fields = new Fields({ phones: [{ n: 1 }, { n: 2, ext: 3 }], "a.b": { "c.d": 4 } });
  assert.equal(fields.text("phones.2.n", "phones.1.n"), "2");
  assert.equal(fields.value(["a.b", "c.d"]), 4);
  assert.deepEqual(fields.rest(), { phones: [{ n: 1 }, { ext: 3 }] });
});

Deno.test("fields: the items of a list are read one by one, and the rest keeps their indexes", () => {
  const fields = new Fields({ list: ["x", { q: "1" }, null, { q: "2", more: ["y"] }], b: [[1]] });
  assert.deepEqual(fields.items("list").map((item) => item.text("q")), ["1", "2"]);
  assert.deepEqual(fields.items("nothing"), []);
  assert.deepEqual(fields.items("b"), []);
  assert.deepEqual(fields.rest(), { list: ["x", null, null, { more: ["y"] }], b: [[1]] });

  const understood = new Fields({ list: [{ q: "1" }, null, { q: "2" }] });
  for (const item of understood.items("list")) item.text("q");
  assert.equal(understood.rest(), undefined);
});

Deno.test("fields: an object can be read with relative paths", () => {
  const fields = new Fields({ a: { b: { c: 1, d: 2 } } });
  const object = fields.at("a.b");
  assert.deepEqual(object.keys(), ["c", "d"]);
  assert.equal(object.text("c"), "1");
  assert.deepEqual(fields.at("a.x").keys(), []);
  assert.equal(fields.at("a.x").text("c"), undefined);
  assert.deepEqual(fields.rest(), { a: { b: { d: 2 } } });
});

Deno.test("fields: of a value that was taken, what the lead does not contain remains", () => {
  for (
    const [given, lead, rest] of [
      ["Texas", "TX", "Texas"],
      [" TX ", "TX", undefined],
      ["tx", "TX", undefined],
      ["Ann@B.C", "ann@b.c", undefined],
      [7, "7", undefined],
      [7, 7, undefined],
      ["true", true, undefined],
      [false, "", false],
      [" ", "", undefined],
      [null, "", undefined],
      ["x".repeat(513), "sha256:35ade", "x".repeat(513)],
      [{ a: ["x", { b: "y" }, "z"], c: [] }, ["x", "z"], { a: [null, { b: "y" }, null] }],
    ] as [Json, Json, Json | undefined][]
  ) {
    const name = JSON.stringify(given).slice(0, 40);
    const fields = new Fields({ given });
    fields.take("given");
    assert.deepEqual(fields.rest({ nested: [{ lead }] }), rest === undefined ? rest : { given: rest }, name);
  }
});

Deno.test("fields: values that were not taken remain, whatever the lead contains", () => {
  const fields = new Fields({ state: "TX", job: { state: "TX" } });
  fields.text("state");
  assert.deepEqual(fields.rest({ state: "TX" }), { job: { state: "TX" } });
});

Deno.test("fields: values that must not be stored do not remain", () => {
  const fields = new Fields({ file: { bytes: [1, 2], name: "a" } });
  fields.take("file");
  fields.leaveOut("file.bytes");
  assert.deepEqual(fields.rest({}), { file: { name: "a" } });
});
