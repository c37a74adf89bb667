import { createHash } from "node:crypto";
import { join } from "node:path";
import type postgres from "postgres";
import { ROOT, SUPABASE_CLI } from "./paths.ts";
import type { VendorInfo } from "./stack_info.ts";
import type { Supervisor } from "./supervisor.ts";

const MIGRATIONS = join(ROOT, "supabase/migrations");

/** Gives the database what a hosted project has before its first migration. Can be repeated. */
export async function bootstrap(sql: postgres.Sql, password: string): Promise<void> {
  await sql.unsafe(Deno.readTextFileSync(join(ROOT, "local/bootstrap.sql")));
  for (const role of ["authenticator", "supabase_lite"]) {
    await sql.unsafe(`alter role ${role} password '${password}'`);
  }
}

/** Applies the pending migrations with the Supabase CLI, which also keeps the record of them. */
export async function migrate(
  supervisor: Supervisor,
  sql: postgres.Sql,
  dbUrl: string,
): Promise<void> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  const applied = exists
    ? await sql<{ version: string }[]>`select version from supabase_migrations.schema_migrations`
    : [];
  const known = new Set(applied.map(({ version }) => version));
  const files = Array.from(Deno.readDirSync(MIGRATIONS), ({ name }) => name)
    .filter((name) => name.endsWith(".sql"));
  const isCurrent = files.length === known.size &&
    files.every((name) => known.has(name.split("_")[0]!));
  if (isCurrent) return;

  await supervisor.run({
    name: "migrations",
    command: SUPABASE_CLI,
    args: ["migration", "up", `--remote=${dbUrl}?sslmode=disable`, "--yes", "--agent", "no"],
    isQuiet: true,
  });
}

/** Runs the seed once in the life of a database. It is recorded where the Supabase CLI records it. */
export async function seed(sql: postgres.Sql): Promise<void> {
  const path = "supabase/seed.sql";
  const text = await Deno.readTextFile(join(ROOT, path)).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  });
  if (!text) return;
  const hash = createHash("sha256").update(text).digest("hex");
  await sql.unsafe(`
    create schema if not exists supabase_migrations;
    create table if not exists supabase_migrations.seed_files (path text primary key, hash text not null)`);
  await sql.begin(async (transaction) => {
    const [recorded] = await transaction`
      insert into supabase_migrations.seed_files (path, hash) values (${path}, ${hash})
      on conflict do nothing returning path`;
    if (recorded) await transaction.unsafe(text);
  });
}

/**
 * Gives every vendor with a parser a key that works: the kept one, or else a new one.
 *
 * @param kept keys by slug; a new one is added to it
 */
export async function vendorKeys(
  sql: postgres.Sql,
  kept: Record<string, string>,
): Promise<VendorInfo[]> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('public.vendor_api_keys') is not null as exists`;
  if (!exists) return [];
  const vendors = await sql<{ id: string; slug: string; parser: string }[]>`
    select id, slug, parser from public.vendors where parser is not null and is_active order by slug`;
  const infos: VendorInfo[] = [];
  for (const { id, slug, parser } of vendors) {
    const hash = createHash("sha256").update(kept[slug] ?? "").digest("hex");
    const [live] = await sql`
      select 1 from public.vendor_api_keys
      where vendor_id = ${id} and key_hash = ${hash} and revoked_at is null
        and (expires_at is null or expires_at > now())`;
    if (!live) {
      const [made] = await sql<[{ key: string }]>`
        select public.create_vendor_api_key(${slug}, 'local stack') as key`;
      kept[slug] = made.key;
    }
    infos.push({ slug, parser, api_key: kept[slug]! });
  }
  return infos;
}
