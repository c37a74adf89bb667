import assert from "node:assert/strict";
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";
import { schemaFiles } from "./migration/files.ts";
import { SCHEMA_PAGE } from "./schema_page.ts";

Deno.test("the page of the tables has each table once, below its area", () => {
  const page = Deno.readTextFileSync(join(ROOT, SCHEMA_PAGE));
  const shown = page.split(/^## /m).slice(1).flatMap((area) => {
    const [name] = area.split("\n");
    return Array.from(area.matchAll(/^### (.+)$/gm), ([, table]) => `${name} ${table}`);
  });
  const created = schemaFiles().flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/^create (?:unlogged )?table (?:public\.)?([\w.]+)/gm),
      ([, table]) => `${path.split("/").at(-2)} ${table}`,
    )
  );
  assert.ok(created.length > 40, "the schemas were not read");
  assert.deepEqual(shown.sort(), created.sort());
});
