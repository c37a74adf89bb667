import assert from "node:assert/strict";
import { formatTable } from "./table.ts";

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
    formatTable([{ name: "A\u200bd\u202ea\u2066", phone: "1" }, {
      name: "\u2060",
      phone: "2\u2028",
    }]),
    "name  phone\nAda   1\n-     2",
  );
});
