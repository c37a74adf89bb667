import assert from "node:assert/strict";
import { join } from "node:path";
import fc from "fast-check";
import { CommandError } from "./errors.ts";
import { formatCsv } from "./formats/csv.ts";
import { readCsv } from "./csv_file.ts";

const folder = Deno.makeTempDirSync();
const file = join(folder, "leads.csv");

function read(content: string | Uint8Array) {
  Deno.writeFileSync(file, typeof content === "string" ? new TextEncoder().encode(content) : content);
  return readCsv(file);
}

Deno.test("a CSV file is read by its header: quotes, line ends, a byte order mark and empty lines", () => {
  const content = '\uFEFFname, phone\r\n"Ann ""A"", Ms",312\r\n\r\n"two\nlines",\r\nonly\n1,2,3';
  assert.deepEqual(read(content), {
    columns: ["name", "phone"],
    rows: [
      { line: 2, values: { name: 'Ann "A", Ms', phone: "312" } },
      { line: 5, values: { name: "two\nlines" } },
      { line: 6, values: { name: "only" } },
      { line: 7, values: { name: "1", phone: "2" }, error: "it has 3 cells, and the header 2" },
    ],
  });
  assert.deepEqual(read("name\n"), { columns: ["name"], rows: [] });
});

Deno.test("what is written as CSV is read again", async () => {
  const cell = fc.string({ unit: fc.constantFrom("a", "1", ",", '"', "\n", " ", "é") }).map((text) => text.trim());
  await fc.assert(fc.asyncProperty(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), async (cells) => {
    const pages = [cells.map(([a, b]) => ({ a, b }))];
    const { rows } = read((await Array.fromAsync(formatCsv(["a", "b"], pages))).join(""));
    assert.deepEqual(rows.map(({ values: { a = "", b = "" } }) => [a, b]), cells);
  }));
});

for (
  const [content, message] of [
    ["", /is empty: its first line must name the columns$/],
    ["a,,c\n1,2,3", /: column 2 has no name\. /],
    ["a,b,a\n1,2,3", /: column 3 has the name of another one: "a"\. /],
    ['a,b\n1,"x\n2,3', /cannot be read as CSV: .* at line 3$/],
    [Uint8Array.of(0x61, 0x0a, 0xff), /is not UTF-8: /],
  ] as const
) {
  Deno.test(`a file without CSV and a header is refused: ${message}`, () => {
    assert.throws(() => read(content), (error) => error instanceof CommandError && message.test(error.message));
  });
}

Deno.test("a file that does not exist is named", () => {
  assert.throws(() => readCsv(join(folder, "none.csv")), /^CommandError: There is no file .*none\.csv$/);
});
