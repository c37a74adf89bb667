/** What docs/security.md names exists: its tests, and the functions with their owner's rights. */
import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);
const PAGE = Deno.readTextFileSync(new URL("docs/security.md", ROOT));

/** The list's items, `- <file>: "<name of a test>"`, each on one line. */
const NAMED = [...PAGE.replace(/\n {2}(?=\S)/g, " ").matchAll(/^- `([^`]+)`: "(.+)"$/gm)]
  .map(([, file, name]) => ({ file: file!, name: name! }));

/** A literal of the name, as TypeScript or SQL writes it. `…` stands for any text. */
function literalOf(name: string): RegExp {
  const text = name.split("…").map(escape).join(".+?");
  const inSql = name.replaceAll("'", "''").split("…").map(escape).join(".+?");
  return new RegExp(`"${text}"|\`${text}\`|'${inSql}'`);
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

Deno.test("every item of the OWASP API Security Top 10 has a test", () => {
  const items = PAGE.split(/^## /m).filter((section) => section.startsWith("API"));
  assert.equal(items.length, 10);
  for (const item of items) assert.match(item, /^- `/m, item.split("\n", 1)[0]);
});

for (const { file, name } of NAMED) {
  Deno.test(`docs/security.md: ${file} has the test "${name}"`, () => {
    const text = Deno.readTextFileSync(new URL(file, ROOT));
    assert(
      literalOf(name).test(text),
      `${file} has no test of this name: correct docs/security.md`,
    );
  });
}

Deno.test("docs/security.md lists the functions that supabase/tests/03_security_definer.test.sql lists", () => {
  const tested = Deno.readTextFileSync(
    new URL("supabase/tests/03_security_definer.test.sql", ROOT),
  );
  const names = (text: string) => [...new Set(text.match(/[\w.]+\([\w,[\]]*\)(?=['`])/g))].sort();
  const [, table] = PAGE.split("## Functions with their owner's rights");
  assert.deepEqual(names(table!.split("\n## ", 1)[0]!), names(tested));
});
