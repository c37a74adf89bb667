import assert from "node:assert/strict";
import { fitTables, formatTable } from "./table.ts";

Deno.test("a table: headings, and columns as wide as they need be", () => {
  const table = formatTable([
    { slug: "a", keys: 12, active: true, created: new Date("2027-01-31T08:09:10Z") },
    { slug: "long-slug", keys: null, active: false, created: undefined },
  ]);
  assert.equal(
    table,
    [
      "slug       keys  active  created",
      "a          12    yes     2027-01-31 08:09",
      "long-slug  -     no      -",
    ].join("\n"),
  );
});

Deno.test("a table shows objects as JSON, and never a control character", () => {
  assert.equal(formatTable([{ v: { a: [1] } }, { v: "\x1b[31mred\n" }]), 'v\n{"a":[1]}\n [31mred');
});

Deno.test("a table shows no invisible character, and its columns are as wide as what is seen", () => {
  assert.equal(
    formatTable([{ name: "A\u200bd\u202ea\u2066", phone: "1" }, { name: "\u2060", phone: "2\u2028" }]),
    "name  phone\nAda   1\n-     2",
  );
});

Deno.test("a table leaves out what is empty in every row, and has 8 characters of our ids", () => {
  const id = "5f0c6a3e-6f0f-4b6e-9d0e-3a4f6f1d2c11";
  assert.equal(
    formatTable([{ id, name: "Ada", email: null, request_id: id }, { id, name: "", email: "" }]),
    `id        name  request_id\n5f0c6a3e  Ada   ${id}\n5f0c6a3e  -     -`,
  );
});

Deno.test("on a terminal, a table cuts its longest texts until it fits, or writes a row in lines", () => {
  const row = { id: "5f0c6a3e", name: "Lakeshore Insurance", said: "Can we talk on Monday?", n: 1 };
  try {
    fitTables(45);
    assert.equal(
      formatTable([row]),
      "id        name             said             n\n5f0c6a3e  Lakeshore Insu…  Can we talk on…  1",
    );
    fitTables(30);
    assert.equal(
      formatTable([row, { ...row, n: 2 }]).split("\n\n")[1],
      "id    5f0c6a3e\nname  Lakeshore Insurance\nsaid  Can we talk on Monday?\nn     2",
    );
  } finally {
    fitTables(Infinity);
  }
});
