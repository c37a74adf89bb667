import { createHash } from "node:crypto";
import { join } from "node:path";
import type postgres from "postgres";
import { ROOT } from "./paths.ts";
import type { Secrets } from "./secrets.ts";
import type { VendorInfo } from "./stack_info.ts";

/** Gives a new database what a hosted project has before its first migration, and the services' roles their passwords. */
export async function bootstrap(
  sql: postgres.Sql,
  passwords: Secrets["rolePasswords"],
): Promise<void> {
  await sql.begin(async (sql) => {
    const [{ isNew }] = await sql<[{ isNew: boolean }]>`
      select to_regnamespace('extensions') is null as "isNew"`;
    if (isNew) await sql.unsafe(Deno.readTextFileSync(join(ROOT, "local/bootstrap.sql")));
    for (const [role, password] of Object.entries(passwords)) {
      await sql.unsafe(`alter role ${role} password '${password}'`);
    }
  });
}

/**
 * Gives every vendor of the seed that has a parser a key that works: the kept one, or else a new one. An operator's own
 * vendors get their keys from the operator alone.
 *
 * @param kept keys by slug; none right after the seed has run, when every vendor is the seed's
 */
export async function vendorKeys(
  sql: postgres.Sql,
  kept?: Record<string, string>,
): Promise<VendorInfo[]> {
  const vendors = await sql<{ id: string; slug: string; parser: string }[]>`
    select id, slug, parser from public.vendors
    where parser is not null and is_active and ${
    kept ? sql`slug = any(${Object.keys(kept)})` : sql`true`
  }
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
