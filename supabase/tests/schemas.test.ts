import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../dev/local/mod.ts";
import {
  compareCatalogues,
  compareDatabases,
  readCatalogue,
} from "../../dev/scripts/migration/catalogue.ts";
import { baselineText, migrationFiles, schemaFiles } from "../../dev/scripts/migration/files.ts";
import { withScratch } from "../../dev/scripts/migration/scratch.ts";

const { db_url } = readStackInfo();

/** One change of each kind, and what the comparison must name. */
const CHANGES: [change: string, sql: string, named: RegExp][] = [
  ["a new table", "create table public.extra (id uuid)", /relation public\.extra/],
  ["a dropped table", "drop table public.lead_activities", /relation public\.lead_activities/],
  [
    "a table's storage options",
    "alter table public.leads set (fillfactor = 70)",
    /relation public\.leads/,
  ],
  ["a table's persistence", "alter table public.lead_demographics set unlogged", /relation/],
  ["a table's replica identity", "alter table public.leads replica identity full", /relation/],
  ["a table's owner", "alter table public.leads owner to service_role", /relation public\.leads/],
  [
    "row level security",
    "alter table public.leads disable row level security",
    /relation public\.leads/,
  ],
  ["forced row level security", "alter table public.leads force row level security", /relation/],
  ["a new column", "alter table public.vendors add extra text", /column public\.vendors\.extra/],
  ["a dropped column", "alter table public.leads drop zip", /column public\.leads\.zip/],
  [
    "a column's type",
    "alter table public.leads alter zip type varchar(10)",
    /column public\.leads\.zip/,
  ],
  ["a column's not null", "alter table public.leads alter zip set not null", /column/],
  ["a column's default", "alter table public.vendors alter is_active set default false", /column/],
  ["a dropped default", "alter table public.vendors alter is_active drop default", /column/],
  ["a column's collation", `alter table public.leads alter zip type text collate "C"`, /column/],
  ["a column's storage", "alter table public.leads alter zip set storage external", /column/],
  [
    "a generated column",
    "alter table public.recruiting_leads alter email set expression as (vendor_metadata ->> 'mail')",
    /column public\.recruiting_leads\.email/,
  ],
  [
    "an identity column",
    "alter table public.lead_referrals alter position drop default, alter position add generated always as identity",
    /column public\.lead_referrals\."position"/,
  ],
  [
    "a check",
    "alter table public.leads drop constraint leads_type_check",
    /constraint leads_type_check/,
  ],
  [
    "a unique constraint",
    "alter table public.vendors drop constraint vendors_slug_key",
    /constraint/,
  ],
  [
    "a primary key",
    "alter table public.lead_referrals drop constraint lead_referrals_pkey",
    /constraint/,
  ],
  [
    "a foreign key's action",
    `alter table public.agents drop constraint agents_user_id_fkey,
      add constraint agents_user_id_fkey foreign key (user_id) references auth.users (id)`,
    /constraint agents_user_id_fkey/,
  ],
  [
    "a constraint that is not validated",
    `alter table public.leads drop constraint leads_state_check,
      add constraint leads_state_check check (btrim(state) <> '') not valid`,
    /constraint leads_state_check/,
  ],
  [
    "a dropped index",
    "drop index public.lead_sales_lead_id_idx",
    /index public\.lead_sales_lead_id_idx/,
  ],
  ["a new index", "create index on public.leads (state)", /index public\.leads_state_idx/],
  [
    "an index's condition",
    `drop index public.agents_turn_idx;
      create index agents_turn_idx on public.agents (agency_id, last_assigned_at nulls first, created_at, id)`,
    /index public\.agents_turn_idx/,
  ],
  [
    "a dropped trigger",
    "drop trigger create_lead_metrics on public.leads",
    /trigger create_lead_metrics/,
  ],
  [
    "a disabled trigger",
    "alter table public.leads disable trigger set_updated_at",
    /trigger set_updated_at/,
  ],
  [
    "a trigger's condition",
    `create or replace trigger set_updated_at before update on public.leads
      for each row when (new.zip is not null) execute function private.set_updated_at()`,
    /trigger set_updated_at/,
  ],
  [
    "a function's body",
    `create or replace function private.submitting_lead_id() returns uuid
      language sql stable set search_path = '' as 'select null::uuid'`,
    /function private\.submitting_lead_id/,
  ],
  [
    "a function's setting",
    "alter function private.indexable_id(text) set work_mem = '8MB'",
    /function/,
  ],
  [
    "a function's search_path",
    "alter function private.indexable_id(text) reset search_path",
    /function/,
  ],
  ["a function's rights", "alter function private.indexable_id(text) security definer", /function/],
  ["a function's volatility", "alter function private.indexable_id(text) volatile", /function/],
  [
    "a function's owner",
    "alter function private.indexable_id(text) owner to service_role",
    /function/,
  ],
  [
    "a new function",
    "create function public.extra() returns int language sql as 'select 1'",
    /function/,
  ],
  [
    "a dropped function",
    "drop function public.revoke_vendor_api_key(text)",
    /function public\.revoke/,
  ],
  [
    "a dropped policy",
    `drop policy "managers read their agency" on public.agencies`,
    /policy "managers read their agency"/,
  ],
  [
    "a policy's name",
    `alter policy "managers read their agency" on public.agencies rename to extra`,
    /policy extra on public\.agencies/,
  ],
  [
    "a policy's condition",
    `alter policy "managers read their agency" on public.agencies using (true)`,
    /policy "managers read their agency"/,
  ],
  [
    "a policy's check",
    `alter policy "submitters of a presentation add its sale" on public.lead_sales with check (true)`,
    /policy "submitters of a presentation add its sale"/,
  ],
  [
    "a policy's roles",
    `alter policy "managers read their agency" on public.agencies to anon`,
    /policy "managers read their agency"/,
  ],
  [
    "a policy's command",
    `drop policy "managers read their agency" on public.agencies;
      create policy "managers read their agency" on public.agencies for update to authenticated
        using (id = (select private.managed_agency_id()))`,
    /policy "managers read their agency"/,
  ],
  [
    "a restrictive policy",
    `drop policy "managers read their agency" on public.agencies;
      create policy "managers read their agency" on public.agencies as restrictive for select to authenticated
        using (id = (select private.managed_agency_id()))`,
    /policy "managers read their agency"/,
  ],
  [
    "a policy on a table of another schema",
    "create policy extra on storage.objects for select to authenticated using (true)",
    /policy extra on storage\.objects/,
  ],
  [
    "a grant on a table",
    "grant truncate on public.leads to service_role",
    /relation public\.leads to service_role/,
  ],
  [
    "a revoked grant",
    "revoke select on public.leads from authenticated",
    /relation public\.leads to authenticated/,
  ],
  [
    "a grant option",
    "grant select on public.leads to authenticated with grant option",
    /relation public\.leads to authenticated/,
  ],
  [
    "a grant on a column",
    "grant update (zip) on public.leads to authenticated",
    /column public\.leads\.zip to/,
  ],
  [
    "a grant on a function",
    "grant execute on function private.indexable_id(text) to anon",
    /to anon/,
  ],
  [
    "a grant to everybody",
    "grant execute on function private.indexable_id(text) to public",
    /to public/,
  ],
  ["a grant on a schema", "grant usage on schema private to anon", /schema private to anon/],
  [
    "default privileges",
    "alter default privileges in schema public grant select on tables to anon",
    /new objects of kind r in public/,
  ],
  [
    "default privileges of all schemas",
    "alter default privileges grant execute on functions to anon",
    /new objects of kind f in any schema/,
  ],
  [
    "a comment on a table",
    "comment on table public.leads is 'x'",
    /comment on table public\.leads/,
  ],
  ["a dropped comment", "comment on table public.leads is null", /comment on table public\.leads/],
  [
    "a comment on a column",
    "comment on column public.leads.zip is 'x'",
    /comment on table column public\.leads\.zip/,
  ],
  [
    "a comment on a function",
    "comment on function private.indexable_id(text) is 'x'",
    /comment on function/,
  ],
  ["a comment on a schema", "comment on schema private is 'x'", /comment on schema private/],
  [
    "a comment on an index",
    "comment on index public.lead_sales_lead_id_idx is 'x'",
    /comment on index/,
  ],
  [
    "a comment on a policy",
    `comment on policy "managers read their agency" on public.agencies is 'x'`,
    /comment on policy/,
  ],
  ["a view", "create view public.extra as select 1 as one", /rule "_RETURN" on public\.extra/],
  [
    "a materialized view",
    "create materialized view public.extra as select 1 as one",
    /relation public\.extra/,
  ],
  ["an enum", "create type public.extra as enum ('a', 'b')", /type public\.extra/],
  [
    "a domain",
    "create domain public.extra as text check (value <> '')",
    /constraint extra_check on public\.extra/,
  ],
  ["a composite type", "create type public.extra as (a text)", /column public\.extra\.a/],
  ["a sequence", "create sequence public.extra increment by 2", /sequence public\.extra/],
  ["a rule", "create rule extra as on delete to public.leads do instead nothing", /rule extra/],
  [
    "statistics",
    "create statistics public.extra on state, zip from public.leads",
    /statistics extra/,
  ],
  ["a publication", "create publication extra for table public.leads", /publication extra/],
  ["a schema", "create schema extra", /schema extra/],
  ["an extension", "create extension citext schema extensions", /extension citext/],
  [
    "the bucket",
    "update storage.buckets set public = true",
    /row of storage\.buckets.*"public": true/,
  ],
  [
    "a row",
    "insert into public.vendors (slug, name) values ('extra', 'Extra')",
    /row of public\.vendors.*"slug": "extra"/,
  ],
];

Deno.test("the baseline is supabase/schemas as long as it is the only migration", () => {
  const [baseline, ...later] = migrationFiles();
  const isCurrent = later.length > 0 || baseline?.text === baselineText();
  assert(isCurrent, "npm run migration -- --baseline writes it again.");
});

Deno.test("supabase/schemas and supabase/migrations", async (test) => {
  await withScratch(db_url, async (scratch) => {
    const schemas = await scratch.build(schemaFiles());

    await test.step("make the same database", async () => {
      const differences = await compareDatabases(schemas, await scratch.build(migrationFiles()));
      const told = `They differ:\n\n${differences.join("\n")}\n\n` +
        "npm run migration writes the migration.";
      assert.equal(differences.length, 0, told);
    });

    const sql = connect(schemas);
    const unchanged = await readCatalogue(sql);
    for (const [change, statements, named] of CHANGES) {
      await test.step(`do not make the same database after a change of one: ${change}`, async () => {
        await sql`begin`;
        try {
          await sql.unsafe(statements);
          const changed = await readCatalogue(sql);
          for (const sides of [[unchanged, changed], [changed, unchanged]] as const) {
            assert.match(compareCatalogues(...sides).join("\n"), named);
          }
        } finally {
          await sql`rollback`;
        }
      });
    }
    await sql.end();
  });
});
