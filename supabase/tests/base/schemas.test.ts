import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";
import { compareCatalogues, compareDatabases, readCatalogue } from "../../../dev/scripts/migration/catalogue.ts";
import { baselineText, migrationFiles, schemaFiles } from "../../../dev/scripts/migration/files.ts";
import { withScratch } from "../../../dev/scripts/migration/scratch.ts";

const { db_url } = readStackInfo();

const POLICY = `"managers read their agency"`;

/** One change of each kind, what the comparison must name (a pattern), and the SQL. */
const CHANGES = `
a new table | relation public.extra | create table public.extra (id uuid)
a dropped table | relation public.lead_activities | drop table public.lead_activities
a table's storage options | relation public.leads | alter table public.leads set (fillfactor = 70)
a table's persistence | relation | alter table public.lead_demographics set unlogged
a table's replica identity | relation | alter table public.leads replica identity full
a table's owner | relation public.leads | alter table public.leads owner to service_role
row level security | relation public.leads | alter table public.leads disable row level security
forced row level security | relation | alter table public.leads force row level security
a new column | column public.vendors.extra | alter table public.vendors add extra text
a dropped column | column public.leads.zip | alter table public.leads drop zip
a column's type | column public.leads.zip | alter table public.leads alter zip type varchar(10)
a column's not null | column | alter table public.leads alter zip set not null
a column's default | column | alter table public.vendors alter is_active set default false
a dropped default | column | alter table public.vendors alter is_active drop default
a column's collation | column | alter table public.leads alter zip type text collate "C"
a column's storage | column | alter table public.leads alter zip set storage external
a generated column | column public.recruiting_leads.email |
  alter table public.recruiting_leads alter email set expression as (vendor_metadata ->> 'mail')
an identity column | column public.lead_referrals."position" |
  alter table public.lead_referrals alter position drop default, alter position add generated always as identity
a check | constraint leads_type_check | alter table public.leads drop constraint leads_type_check
a unique constraint | constraint | alter table public.vendors drop constraint vendors_slug_key
a primary key | constraint | alter table public.lead_referrals drop constraint lead_referrals_pkey
a foreign key's action | constraint agents_user_id_fkey |
  alter table public.agents drop constraint agents_user_id_fkey, add constraint agents_user_id_fkey foreign key
  (user_id) references auth.users (id)
a constraint that is not validated | constraint leads_state_check |
  alter table public.leads drop constraint leads_state_check, add constraint leads_state_check check (btrim(state) <>
  '') not valid
a dropped index | index public.lead_sales_lead_id_idx | drop index public.lead_sales_lead_id_idx
a new index | index public.leads_state_idx | create index on public.leads (state)
an index's condition | index public.agents_turn_idx |
  drop index public.agents_turn_idx; create index agents_turn_idx on public.agents (agency_id, last_assigned_at nulls
  first, created_at, id)
a dropped trigger | trigger create_lead_metrics | drop trigger create_lead_metrics on public.leads
a disabled trigger | trigger set_updated_at | alter table public.leads disable trigger set_updated_at
a trigger's condition | trigger set_updated_at |
  create or replace trigger set_updated_at before update on public.leads for each row when (new.zip is not null) execute
  function private.set_updated_at()
a function's body | function private.submitting_lead_id |
  create or replace function private.submitting_lead_id() returns uuid language sql stable set search_path = '' as
  'select null::uuid'
a function's setting | function | alter function private.indexable_id(text) set work_mem = '8MB'
a function's search_path | function | alter function private.indexable_id(text) reset search_path
a function's rights | function | alter function private.indexable_id(text) security definer
a function's volatility | function | alter function private.indexable_id(text) volatile
a function's owner | function | alter function private.indexable_id(text) owner to service_role
a new function | function | create function public.extra() returns int language sql as 'select 1'
a dropped function | function public.revoke | drop function public.revoke_vendor_webhook_secret(uuid)
a dropped policy | policy ${POLICY} | drop policy ${POLICY} on public.agencies
a policy's name | policy extra on public.agencies | alter policy ${POLICY} on public.agencies rename to extra
a policy's condition | policy ${POLICY} | alter policy ${POLICY} on public.agencies using (true)
a policy's check | policy "submitters of a presentation add its sale" |
  alter policy "submitters of a presentation add its sale" on public.lead_sales with check (true)
a policy's roles | policy ${POLICY} | alter policy ${POLICY} on public.agencies to anon
a policy's command | policy ${POLICY} |
  drop policy ${POLICY} on public.agencies; create policy ${POLICY} on public.agencies for update to authenticated using
  (id = (select private.managed_agency_id()))
a restrictive policy | policy ${POLICY} |
  drop policy ${POLICY} on public.agencies; create policy ${POLICY} on public.agencies as restrictive for select to
  authenticated using (id = (select private.managed_agency_id()))
a policy on a table of another schema | policy extra on storage.objects |
  create policy extra on storage.objects for select to authenticated using (true)
a grant on a table | relation public.leads to service_role | grant truncate on public.leads to service_role
a revoked grant | relation public.leads to authenticated | revoke select on public.leads from authenticated
a grant option | relation public.leads to authenticated |
  grant select on public.leads to authenticated with grant option
a grant on a column | column public.leads.zip to | grant update (zip) on public.leads to authenticated
a grant on a function | to anon | grant execute on function private.indexable_id(text) to anon
a grant to everybody | to public | grant execute on function private.indexable_id(text) to public
a grant on a schema | schema private to anon | grant create on schema private to anon
default privileges | new objects of kind r in public |
  alter default privileges in schema public grant select on tables to anon
default privileges of all schemas | new objects of kind f in any schema |
  alter default privileges grant execute on functions to anon
a comment on a table | comment on table public.leads | comment on table public.leads is 'x'
a dropped comment | comment on table public.leads | comment on table public.leads is null
a comment on a column | comment on table column public.leads.zip | comment on column public.leads.zip is 'x'
a comment on a function | comment on function | comment on function private.indexable_id(text) is 'x'
a comment on a schema | comment on schema private | comment on schema private is 'x'
a comment on an index | comment on index | comment on index public.lead_sales_lead_id_idx is 'x'
a comment on a policy | comment on policy | comment on policy ${POLICY} on public.agencies is 'x'
a view | rule "_RETURN" on public.extra | create view public.extra as select 1 as one
a materialized view | relation public.extra | create materialized view public.extra as select 1 as one
an enum | type public.extra | create type public.extra as enum ('a', 'b')
a domain | constraint extra_check on public.extra | create domain public.extra as text check (value <> '')
a composite type | column public.extra.a | create type public.extra as (a text)
a sequence | sequence public.extra | create sequence public.extra increment by 2
a rule | rule extra | create rule extra as on delete to public.leads do instead nothing
statistics | statistics extra | create statistics public.extra on state, zip from public.leads
a publication | publication extra | create publication extra for table public.leads
a schema | schema extra | create schema extra
an extension | extension citext | create extension citext schema extensions
the bucket | row of storage.buckets.*"public": true | update storage.buckets set public = true
a row | row of public.vendors.*"slug": "extra" | insert into public.vendors (slug, name) values ('extra', 'Extra')
`.trim().split(/\n(?! )/).map((row) => row.split(/ \|\s+/) as [string, string, string]);

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

    // Each change is read several times as fast in a smaller database: one without the areas that come after sales.
    const files = schemaFiles();
    const sales = files.findLastIndex(({ path }) => path.includes("/sales/"));
    const sql = connect(await scratch.build(files.slice(0, sales + 1)));
    const unchanged = await readCatalogue(sql);
    for (const [change, named, statements] of CHANGES) {
      await test.step(`do not make the same database after a change of one: ${change}`, async () => {
        await sql`begin`;
        try {
          await sql.unsafe(statements);
          const changed = await readCatalogue(sql);
          for (const sides of [[unchanged, changed], [changed, unchanged]] as const) {
            assert.match(compareCatalogues(...sides).join("\n"), new RegExp(named));
          }
        } finally {
          await sql`rollback`;
        }
      });
    }
    await sql.end();
  });
});
