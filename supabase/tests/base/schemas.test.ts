import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../../dev/local/mod.ts";
import { compareCatalogues, compareDatabases, readCatalogue } from "../../../dev/scripts/migration/catalogue.ts";
import { baselineText, migrationFiles, schemaFiles } from "../../../dev/scripts/migration/files.ts";
import { withScratch } from "../../../dev/scripts/migration/scratch.ts";

const { db_url } = readStackInfo();

const TABLE = `
  create schema private;
  create function private.one() returns int language sql as 'select 1';
  create function private.touch() returns trigger language plpgsql as 'begin return new; end';
  create table public.people (id int primary key, name text, city text);
  create index people_name_idx on public.people (name);
  create trigger touch before update on public.people for each row execute function private.touch();
  create policy "people read" on public.people for select using (id > 0);
  create view public.ids as select id from public.people;
  insert into storage.buckets (id, name) values ('photos', 'photos')`;

/** A change of each kind of object that the catalogue has, and the lines that must name it. */
const CHANGES: [change: string, named: string][] = [
  ["alter table public.people enable row level security", "different: +relation public[.]people\n"],
  ["alter table public.people alter name type varchar(9)", "different: +column public[.]people[.]name\n"],
  ["alter table public.people drop city", "only in schemas: +column public[.]people[.]city\n"],
  ["alter table public.people add constraint short check (name <> '')", "constraint short on public[.]people\n"],
  [
    "drop index public.people_name_idx; create index people_name_idx on public.people (name) where id > 0",
    "different: +index public[.]people_name_idx\n",
  ],
  ["alter table public.people disable trigger touch", "different: +trigger touch on public[.]people\n"],
  [`alter policy "people read" on public.people using (true)`, `different: +policy "people read" on public[.]people\n`],
  ["create or replace view public.ids as select id from public.people limit 1", `different: +rule "_RETURN"`],
  ["alter function private.one() set search_path = ''", "different: +function private[.]one"],
  ["create type public.kind as enum ('a')", "only in migrations: +type public[.]kind\n"],
  ["create sequence public.extra increment by 2", "only in migrations: +sequence public[.]extra\n"],
  ["create statistics public.extra on id, name from public.people", "only in migrations: +statistics extra\n"],
  ["create publication extra for table public.people", "only in migrations: +publication extra of public[.]people\n"],
  ["create event trigger extra on ddl_command_end execute function extensions.extra()", "event trigger extra\n"],
  ["create schema extra", "only in migrations: +schema extra\n"],
  ["create extension citext schema extensions", "only in migrations: +extension citext\n"],
  ["revoke select on public.people from anon", "different: +grant on relation public[.]people to anon\n"],
  ["grant update (id) on public.people to anon", "grant on column public[.]people[.]id to anon\n"],
  ["revoke execute on function private.one() from public", "grant on function private[.]one.* to public\n"],
  ["grant create on schema private to anon", "grant on schema private to anon\n"],
  [
    "alter default privileges in schema private grant select on tables to anon",
    "grant on new objects of kind r in private .*to anon\n",
  ],
  ["comment on column public.people.id is 'x'", "only in migrations: +comment on table column public[.]people[.]id\n"],
  ["update storage.buckets set public = true", `only in migrations: +row of storage[.]buckets.*"public": true`],
  ["insert into public.people (id) values (1)", `only in migrations: +row of public[.]people.*"id": 1`],
];

Deno.test("supabase/schemas and supabase/migrations make the same database", async () => {
  const [baseline, ...later] = migrationFiles();
  if (later.length === 0) {
    assert(baseline?.text === baselineText(), "npm run migration -- --baseline writes it again.");
    return;
  }
  await withScratch(db_url, async (scratch) => {
    const differences = await compareDatabases(
      await scratch.build(schemaFiles()),
      await scratch.build(migrationFiles()),
    );
    const told = `They differ:\n\n${differences.join("\n")}\n\nnpm run migration -- <topic> writes the migration.`;
    assert.equal(differences.length, 0, told);
  });
});

Deno.test("two databases are not the same after a change of any kind, and each is named", async () => {
  await withScratch(db_url, async (scratch) => {
    const sql = connect(await scratch.build([{ path: "people.sql", text: TABLE }]));
    const unchanged = await readCatalogue(sql);
    await sql.unsafe("create function extensions.extra() returns event_trigger language plpgsql as 'begin end'");
    for (const [change] of CHANGES) await sql.unsafe(change);
    const told = compareCatalogues(unchanged, await readCatalogue(sql)).map((text) => `${text}\n`).join("");
    for (const [change, named] of CHANGES) assert.match(told, new RegExp(`^.*${named}`, "m"), change);
    await sql.end();
  });
});
