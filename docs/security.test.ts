/**
 * docs/security.md covers every item and lists every function with its owner's rights. docs.test.ts finds the files it
 * names.
 */
import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);
const PAGE = Deno.readTextFileSync(new URL("docs/security.md", ROOT));

Deno.test("every item of the OWASP API Security Top 10 has a test", () => {
  const items = PAGE.split(/^## /m).filter((section) => section.startsWith("API"));
  assert.equal(items.length, 10);
  for (const item of items) {
    assert.match(item, /Shown\s+by\s+`[^`]+\.test\.(?:ts|sql)`/, item.split("\n", 1)[0]);
  }
});

Deno.test("docs/security.md lists the functions that supabase/tests/base/security_definer.test.sql lists", () => {
  const tested = Deno.readTextFileSync(
    new URL("supabase/tests/base/security_definer.test.sql", ROOT),
  );
  const names = (text: string) => [...new Set(text.match(/[\w.]+\([\w,[\]]*\)(?=['`])/g))].sort();
  const [, list] = PAGE.split("## Functions with their owner's rights");
  assert.deepEqual(names(list!.split("\n## ", 1)[0]!), names(tested));
});
