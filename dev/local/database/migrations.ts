import { createHash } from "node:crypto";
import { join } from "node:path";
import type postgres from "postgres";
import { ROOT, SUPABASE_CLI } from "../paths.ts";
import type { Supervisor } from "../processes/supervisor.ts";

const FOLDER = join(ROOT, "supabase/migrations");

/**
 * Applies the pending migrations and, to a new database, the seed. The Supabase CLI does it and records both. Where
 * the data is thrown away the files are applied without it, because the CLI takes longer to start than to apply them.
 *
 * @throws {Error} saying what to do, when a migration was edited or removed after it was applied
 */
export async function migrate(
  supervisor: Supervisor,
  sql: postgres.Sql,
  dbUrl: string,
  isThrowaway = false,
): Promise<void> {
  const files = new Map(
    Array.from(Deno.readDirSync(FOLDER), ({ name }) => name)
      .filter((name) => /^\d+_.*\.sql$/.test(name))
      .map((name) => [name.split("_", 1)[0]!, name]),
  );
  const applied = await read(sql, "schema_migrations", "version");
  await compare(sql, files, applied);
  const seeds = await read(sql, "seed_files", "path");
  if (applied.length === files.size && seeds.length > 0) return;

  if (isThrowaway) {
    const pending = [...files].filter(([version]) => !applied.includes(version));
    return await apply(sql, pending, seeds.length > 0);
  }
  const target = `--remote=${dbUrl}?sslmode=disable`;
  await supervisor.run({
    name: "migrations",
    command: SUPABASE_CLI,
    args: ["db", "push", "--include-seed", "--include-all", target, "--yes", "--agent", "no"],
  });
}

/** Applies them, and records them in the tables that the service for auth and storage has made. */
async function apply(sql: postgres.Sql, migrations: [version: string, name: string][], hasSeed: boolean) {
  const run = (path: string) => sql.unsafe(Deno.readTextFileSync(join(ROOT, path))).simple();
  for (const [version, name] of migrations.sort()) {
    await run(`supabase/migrations/${name}`);
    await sql`insert into supabase_migrations.schema_migrations (version) values (${version})`;
  }
  if (hasSeed) return;
  await run("supabase/seed.sql");
  await sql`insert into supabase_migrations.seed_files (path, hash) values ('supabase/seed.sql', '')`;
}

/**
 * Compares each applied file with its hash of that time, and keeps the hashes of the files that are still to be
 * applied.
 */
async function compare(
  sql: postgres.Sql,
  files: Map<string, string>,
  applied: string[],
): Promise<void> {
  const gone = applied.filter((version) => !files.has(version));
  if (gone.length > 0) {
    throw new Error(
      `The database has migrations that supabase/migrations no longer has: ${gone.join(", ")}. ` +
        "Bring the files back, or begin with an empty database: npm run reset",
    );
  }
  await sql.unsafe(`
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.local_hashes (version text primary key, hash text not null)`);
  const hashes = await sql<{ version: string; hash: string }[]>`
    select version, hash from supabase_migrations.local_hashes`;
  const known = new Map(hashes.map(({ version, hash }) => [version, hash]));
  for (const [version, name] of files) {
    const hash = createHash("sha256").update(Deno.readFileSync(join(FOLDER, name))).digest("hex");
    if (applied.includes(version) && known.has(version)) {
      if (known.get(version) === hash) continue;
      throw new Error(
        `supabase/migrations/${name} has changed since it was applied to this database, and it would not run again. ` +
          "Undo the change and put it into a new migration (npm run migration -- <topic>), " +
          "or begin with an empty database: npm run reset",
      );
    }
    await sql`
      insert into supabase_migrations.local_hashes (version, hash) values (${version}, ${hash})
      on conflict (version) do update set hash = excluded.hash`;
  }
}

/** A column of a table in which the Supabase CLI records what it has done; empty while there is no such table. */
async function read(sql: postgres.Sql, table: string, column: string): Promise<string[]> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass(${`supabase_migrations.${table}`}) is not null as exists`;
  if (!exists) return [];
  const rows = await sql`select ${sql(column)} as value from supabase_migrations.${sql(table)}`;
  return rows.map(({ value }) => value);
}
