import assert from "node:assert/strict";
import { formatCsv } from "./csv.ts";

/** The cell of a value, as it stands in CSV. */
async function cellOf(value: unknown): Promise<string> {
  const [, line] = await Array.fromAsync(formatCsv(["v"], [[{ v: value }]]));
  return line!.replace(/\r\n$/, "");
}

Deno.test("CSV: headings, pages, and the line ends of RFC 4180", async () => {
  const pages = [[{ id: "5f0c6a3e-6f0f", name: "Ann" }], [{ id: "2", name: null, more: 1 }]];
  assert.equal(
    (await Array.fromAsync(formatCsv(["id", "name"], pages))).join(""),
    "id,name\r\n5f0c6a3e-6f0f,Ann\r\n2,\r\n",
  );
  assert.equal((await Array.fromAsync(formatCsv(["id"], []))).join(""), "id\r\n");
});

for (
  const [value, cell] of [
    ["Ann, Bob", '"Ann, Bob"'],
    ['the "best"', '"the ""best"""'],
    ["two\r\nlines", '"two\nlines"'],
    ["", ""],
    [undefined, ""],
    [0, "0"],
    [true, "true"],
    [new Date("2027-01-31T08:09:10.123Z"), "2027-01-31T08:09:10.123Z"],
    [{ "missing, first_name": 2 }, '"{""missing, first_name"":2}"'],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["+1 312 555", "'+1 312 555"],
    ["-1+1", "'-1+1"],
    ["--", "'--"],
    // A blank before it, and what some reader's locale takes for the beginning of a cell or of a line
    [" =1", "' =1"],
    ["\u00a0=1", "'\u00a0=1"],
    ["\u3000 -1+1", "'\u3000 -1+1"],
    ["\u2800=1", "'\u2800=1"],
    ["\u200b=1", "'=1"],
    ["\u200b \u2060=1", "' =1"],
    ["\t=1", "\t'=1"],
    ["\r=1", "'=1"],
    ["\n=1", '"\n\'=1"'],
    ["Ada;=1+1", "Ada;'=1+1"],
    ["Ada; ＝1;@x", "Ada;' ＝1;'@x"],
    ["Ada\t=1+1", "Ada\t'=1+1"],
    ["Ada\r\n=1+1", '"Ada\n\'=1+1"'],
    ['Ada;"=1+1"', `"Ada;'""=1+1"""`],
    ["Ada;-5", "Ada;-5"],
    ["Ada, =1; b=1 - c@d.example", '"Ada, =1; b=1 - c@d.example"'],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠SUM(A1)", "'＠SUM(A1)"],
    ["\u200b＝1", "'＝1"],
    ["-5", "-5"],
    [" -5 ", " -5 "],
    [-5.25, "-5.25"],
    ["+13125550100", "+13125550100"],
    ["Zo\x1b[31m\u202eë", "Zo[31më"],
  ] as const
) {
  Deno.test(`CSV: ${JSON.stringify(value)} is ${JSON.stringify(cell)}`, async () => {
    assert.equal(await cellOf(value), cell);
  });
}
