import { join } from "node:path";
import { ROOT } from "../../local/mod.ts";
import { writeGeneratedModules } from "../generated.ts";
import { compareDatabases, type Difference } from "./catalogue.ts";
import { diffDatabases } from "./diff.ts";
import { BASELINE, baselineText, migrationFiles, newMigrationPath, schemaFiles } from "./files.ts";
import type { Scratch } from "./scratch.ts";

/** The outcome of writing a migration. */
export interface Written {
  /** The new file, relative to the checkout; undefined when the differ had nothing to write. */
  path?: string;
  sql: string;
  /** Statements that remove something or may lose data. */
  destructive: string[];
  /** The differences that remain between schemas and migrations, and have to be written by hand. */
  missing: Difference[];
  /** The modules for the functions that were written from the migrations, relative to the checkout. */
  generated: string[];
}

/**
 * Writes the migration that brings `supabase/migrations` to what `supabase/schemas` has, and checks what it leaves.
 * Then writes the database's types and the newest version for the functions, also when there is no new migration.
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
  const path = sql === "" ? undefined : newMigrationPath(topic, migrations);
  if (path) Deno.writeTextFileSync(join(root, path), sql);
  const result = path ? await scratch.build(migrationFiles(root)) : from;
  const missing = await compareDatabases(to, result);
  return { path, sql, destructive, missing, generated: await writeGeneratedModules(result, root) };
}

/**
 * Writes the baseline from `supabase/schemas`, then the database's types and the newest version for the functions.
 *
 * @returns the paths of what was written, relative to the checkout
 * @throws {Error} where there are later migrations, or naming the file and the line that does not apply
 */
export async function writeBaseline(scratch: Scratch, root = ROOT): Promise<string[]> {
  const later = migrationFiles(root).map(({ path }) => path).filter((path) => path !== BASELINE);
  if (later.length > 0) {
    throw new Error(
      `The baseline stays as it is, because ${later[0]} builds on it: npm run migration -- <topic>`,
    );
  }
  const url = await scratch.build(schemaFiles(root));
  Deno.writeTextFileSync(join(root, BASELINE), baselineText(root));
  return [BASELINE, ...await writeGeneratedModules(url, root)];
}
