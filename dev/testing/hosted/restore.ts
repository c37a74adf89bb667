/** The SQL by which docs/restoring.md restores the data of a lost project on a new one. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import type postgres from "postgres";
import { connect, readStackInfo } from "../../local/mod.ts";
import { seedFile } from "../../scripts/migration/files.ts";
import type { HostedDatabase } from "./hosted_database.ts";

/** A table with its rows in the text form of `copy`. */
interface Table {
  name: string;
  columns: string;
  rows: string;
}

const page = Deno.readTextFileSync(new URL("../../../docs/restoring.md", import.meta.url));
const [empty, missingFiles] = Array.from(page.matchAll(/```sql\n(.+?)```/gs), ([, sql]) => sql!);

/** Restores the data of a project on one that has the migrations and nothing else, which goes on from there. */
export async function restores({ url, owner, copy }: HostedDatabase): Promise<void> {
  const [old, admin] = [await copy(), url].map(asSuperuser) as [postgres.Sql, postgres.Sql];
  await old.unsafe(seedFile().text).simple();
  const key = await fill(old);
  // The platform allows it to a project's owner, who is not a superuser.
  await admin.unsafe(`grant set on parameter session_replication_role to ${owner}`);
  const restored = connect(url);
  const [tables, counters] = [await dump(old), await sequences(old)];
  await restored.begin(async (transaction) => {
    await transaction.unsafe(empty!).simple();
    await load(tables, counters, transaction);
    // The last line of the dump.
    await transaction`reset all`;
  });

  assert.deepEqual(await dump(restored), tables);
  assert.deepEqual(await sequences(restored), counters);
  const [user] = await restored`
    select encrypted_password = extensions.crypt('lead-intake-local', encrypted_password) as signs_in
    from auth.users where email = 'maria.alvarez@example.com'`;
  assert.equal(user?.signs_in, true);

  assert.equal(await ingest(restored, key, "before"), "duplicate");
  assert.equal(await ingest(restored, key, "after"), "created");
  const [counted] = await restored`select count(*)::int as wrong from public.check_daily_counts()`;
  assert.equal(counted!.wrong, 0);

  assert.deepEqual(Array.from(await restored.unsafe(missingFiles!)), [{ bucket: "resumes", count: "1" }]);
  await admin`insert into storage.objects (bucket_id, name) values ('resumes', 'vendor/lead.pdf')`;
  assert.deepEqual(Array.from(await restored.unsafe(missingFiles!)), []);
  await restored.end();
  await old.end();
  await admin.end();
}

function asSuperuser(url: string): postgres.Sql {
  return connect(new URL(new URL(url).pathname, readStackInfo().db_url).href);
}

/** Gives the old project a lead that an order has got, with a resume. Returns the digest of its vendor's key. */
async function fill(sql: postgres.Sql): Promise<string> {
  const key = "a".repeat(64);
  await sql`
    insert into public.vendor_api_keys (vendor_id, key_hash, key_prefix, label)
    select id, ${key}, 'lik_restore1', 'restore' from public.vendors where slug = 'generic'`;
  assert.equal(await ingest(sql, key, "before"), "created");
  await sql`
    update public.recruiting_leads set resume_path = 'vendor/lead.pdf' where vendor_lead_id = 'before'`;
  const [order] = await sql`select order_id from public.recruiting_leads where vendor_lead_id = 'before'`;
  assert(order!.order_id, "no order has got the lead");
  return key;
}

/** Sends a lead as the functions do, and returns what became of it. */
async function ingest(sql: postgres.Sql, key_hash: string, vendor_lead_id: string): Promise<string> {
  const lead = { id: randomUUID(), first_name: "Ida", state: "IL", vendor_lead_id, vendor_metadata: {} };
  const [row] = await sql`
    select public.ingest_recruiting_leads(${sql.json([{ key_hash, lead }])}) -> 0 ->> 'status' as status`;
  return row!.status;
}

/** The rows of all tables, as `supabase db dump` takes them with the options of the page. */
async function dump(sql: postgres.Sql): Promise<Table[]> {
  const names = await sql`
    select format('%I.%I', t.schemaname, t.tablename) as name,
      (
        select string_agg(quote_ident(a.attname), ', ' order by a.attnum)
        from pg_attribute a
        where a.attrelid = format('%I.%I', t.schemaname, t.tablename)::regclass
          and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      ) as columns
    from pg_tables t
    where t.schemaname in ('auth', 'public', 'private') and (t.schemaname, t.tablename) <> ('auth', 'schema_migrations')
    order by name`;
  const tables = [];
  for (const { name, columns } of names) {
    const rows = await sql.unsafe(`copy (select ${columns} from ${name} t order by t::text) to stdout`).readable();
    tables.push({ name, columns, rows: await text(rows) });
  }
  return tables;
}

/** The next value of each sequence. */
async function sequences(sql: postgres.Sql): Promise<postgres.Row[]> {
  return await sql`
    select format('%I.%I', schemaname, sequencename) as name, coalesce(last_value, start_value) as value,
      last_value is not null as is_called
    from pg_sequences where schemaname in ('auth', 'public', 'private') order by name`;
}

/** Runs what `supabase db dump` would have written. */
async function load(tables: Table[], counters: postgres.Row[], sql: postgres.TransactionSql): Promise<void> {
  for (const { name, columns, rows } of tables) {
    const copy = await sql.unsafe(`copy ${name} (${columns}) from stdin`).writable();
    await finished(Readable.from([rows]).pipe(copy));
  }
  for (const { name, value, is_called } of counters) await sql`select setval(${name}, ${value}, ${is_called})`;
}
