import { createHash } from "node:crypto";
import { join } from "node:path";
import type postgres from "postgres";
import { ROOT } from "../paths.ts";
import type { Secrets } from "../secrets.ts";
import type { VendorInfo } from "../stack_info.ts";

/** A file of SQL that runs once in a database, with the schema that it makes. */
const FILES = [
  { schema: "extensions", path: "dev/local/database/bootstrap.sql" },
  { schema: "realtime", path: "dev/local/database/realtime.sql" },
];

/** The files that make a database as it is before its first migration. */
export function bootstrapFiles(): { schema: string; path: string; text: string }[] {
  return FILES.map((file) => ({ ...file, text: Deno.readTextFileSync(join(ROOT, file.path)) }));
}

/**
 * Prepares a new database, or one of an earlier version, and sets the passwords of the roles that the services log in
 * as.
 */
export async function bootstrap(
  sql: postgres.Sql,
  passwords: Secrets["rolePasswords"],
): Promise<void> {
  await sql.begin(async (sql) => {
    for (const { schema, text } of bootstrapFiles()) {
      const [{ isMissing }] = await sql<[{ isMissing: boolean }]>`
        select to_regnamespace(${schema}) is null as "isMissing"`;
      if (isMissing) await sql.unsafe(text);
    }
    for (const [role, password] of Object.entries(passwords)) {
      await sql.unsafe(`alter role ${role} password '${password}'`);
    }
  });
}

/**
 * Finds a key that works for each vendor of the seed that has a parser: the kept one, or else a new one. Vendors that
 * an operator makes later get no key here.
 *
 * @param kept keys by slug. Undefined right after the seed has run: then all vendors are those of the seed
 */
export async function vendorKeys(
  sql: postgres.Sql,
  kept?: Record<string, string>,
): Promise<VendorInfo[]> {
  const vendors = await sql<{ id: string; slug: string; parser: string }[]>`
    select id, slug, parser from public.vendors
    where parser is not null and is_active and ${kept ? sql`slug = any(${Object.keys(kept)})` : sql`true`}
    order by slug`;
  const infos: VendorInfo[] = [];
  for (const { id, slug, parser } of vendors) {
    const keptKey = kept?.[slug] ?? "";
    const hash = createHash("sha256").update(keptKey).digest("hex");
    const [live] = await sql`
      select from public.vendor_api_keys
      where vendor_id = ${id} and key_hash = ${hash} and revoked_at is null
        and (expires_at is null or expires_at > now())`;
    const [made] = live ? [] : await sql<[{ key: string }]>`
      select public.create_vendor_api_key(${slug}, 'local stack') as key`;
    infos.push({ slug, parser, api_key: made?.key ?? keptKey });
  }
  return infos;
}
