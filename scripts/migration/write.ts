import { join } from "node:path";
import { ROOT } from "../../local/mod.ts";
import { compareDatabases, type Difference } from "./catalogue.ts";
import { diffDatabases } from "./diff.ts";
import { migrationFiles, newMigrationPath, schemaFiles } from "./files.ts";
import type { Scratch } from "./scratch.ts";

/** What became of a migration. */
export interface Written {
  /** The new file, relative to the checkout; undefined when the differ had nothing to write. */
  path?: string;
  sql: string;
  /** Statements that remove something or may lose data. */
  destructive: string[];
  /** What still differs between schemas and migrations, and has to be written by hand. */
  missing: Difference[];
}

/**
 * Writes the migration that brings `supabase/migrations` to what `supabase/schemas` has, and checks what it leaves.
 *
 * @throws {Error} naming the file and the line that does not apply; the new migration is then kept
 */
export async function writeMigration(
  topic: string,
  scratch: Scratch,
  root = ROOT,
): Promise<Written> {
  const migrations = migrationFiles(root);
  const to = await scratch.build(schemaFiles(root));
  const from = await scratch.build(migrations);
  const { sql, destructive } = await diffDatabases(from, to);
  if (sql === "") return { sql, destructive, missing: await compareDatabases(to, from) };

  const path = newMigrationPath(topic, migrations);
  Deno.writeTextFileSync(join(root, path), sql);
  const result = await scratch.build(migrationFiles(root));
  return { path, sql, destructive, missing: await compareDatabases(to, result) };
}
