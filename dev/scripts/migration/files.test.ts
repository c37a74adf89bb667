import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { newMigrationPath, schemaFiles, topicProblem } from "./files.ts";

/** A checkout with these schema_paths, and with empty files in supabase/schemas. */
function checkout(paths: string[], files: string[]): string {
  const root = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  for (const file of files) {
    const path = join(root, "supabase/schemas", file);
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, "");
  }
  const listed = paths.map((path) => `  "./schemas/${path}",\n`).join("");
  Deno.writeTextFileSync(join(root, "supabase/config.toml"), `schema_paths = [\n${listed}]\n`);
  return root;
}

Deno.test("a file that supabase/config.toml does not name applies after the others of its folder", () => {
  const root = checkout(["sales/tables.sql", "sales/*.sql"], [
    "sales/quotes.sql",
    "sales/tables.sql",
    "sales/bids.sql",
  ]);
  try {
    const names = schemaFiles(root).map(({ path }) => basename(path));
    assert.deepEqual(names, ["tables.sql", "bids.sql", "quotes.sql"]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a file in a folder that supabase/config.toml lacks is named", () => {
  const root = checkout(["sales/*.sql"], ["sales/tables.sql", "quotes/tables.sql"]);
  try {
    assert.throws(() => schemaFiles(root), /config\.toml lacks supabase\/schemas\/quotes\/tables\.sql$/);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a topic is lower-case words with underscores", () => {
  for (const topic of ["daily_cap", "x", "notes2", "a_2"]) {
    assert.equal(topicProblem(topic), undefined);
  }
  for (
    const topic of [undefined, "", "Daily", "daily-cap", "daily cap", "_x", "x_", "a__b", "../x", "2x", "x".repeat(61)]
  ) {
    assert(topicProblem(topic), `${topic} is refused`);
  }
});

Deno.test("a new migration is always the last one", () => {
  const file = (name: string) => ({ path: `supabase/migrations/${name}`, text: "" });
  const now = new Date("2026-03-04T05:06:07.890Z");
  assert.equal(newMigrationPath("x", [], now), "supabase/migrations/20260304050607_x.sql");
  const earlier = [file("20260101000000_a.sql"), file("20260304050606_b.sql")];
  assert.equal(newMigrationPath("x", earlier, now), "supabase/migrations/20260304050607_x.sql");
  assert.equal(
    newMigrationPath("x", [...earlier, file("20260304050607_c.sql")], now),
    "supabase/migrations/20260304050608_x.sql",
  );
  assert.equal(
    newMigrationPath("x", [file("20261231235959_later.sql")], now),
    "supabase/migrations/20270101000000_x.sql",
  );
});
