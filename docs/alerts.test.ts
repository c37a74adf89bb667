/** The table of docs/operations.md says which alerts there are, and by which rule each of them opens at first. */
import assert from "node:assert/strict";
import { schemaFiles } from "../dev/scripts/migration/files.ts";

const ROOT = new URL("../", import.meta.url);

Deno.test("the kinds of alerts in docs/operations.md are those of the rules, with their first numbers", () => {
  const page = Deno.readTextFileSync(new URL("docs/operations.md", ROOT));
  const [, section] = page.split("\n## Alerts\n");
  const documented = [...section!.split("\n## ", 1)[0]!.matchAll(/^\| `(\w+)` +\|[^|]+\|[^|]+\| (`[^|]+`|none) +\|/gm)];
  const schemas = schemaFiles().map(({ text }) => text).join("\n");
  const rows = schemas.matchAll(
    /^insert into public\.alert_rules \([^)]*\) values \(\n {2}'(\w+)', '\w+', '(\{.*\})',$/gm,
  );
  const rules = [...rows].map(([, kind, threshold]) => {
    const numbers = Object.entries(JSON.parse(threshold!)).map(([name, number]) => `${name}=${number}`);
    return [kind, numbers.length > 0 ? `\`${numbers.join(",")}\`` : "none"];
  });
  assert.ok(rules.length > 10);
  assert.deepEqual(
    Object.fromEntries(documented.map(([, kind, rule]) => [kind, rule])),
    Object.fromEntries(rules),
  );
});
