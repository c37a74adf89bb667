/** docs/security.md covers every item. docs.test.ts finds the files it names. */
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
