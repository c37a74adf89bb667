import assert from "node:assert/strict";
import { join } from "node:path";
import { readStackInfo, ROOT } from "../../../dev/local/mod.ts";
import { whatMigrationsLack } from "../../../dev/scripts/migration/ahead.ts";
import { type Scratch, withScratch } from "../../../dev/scripts/migration/scratch.ts";
import { writeBaseline, writeMigration, type Written } from "../../../dev/scripts/migration/write.ts";

const SCHEMA = `create schema private;
grant usage on schema private to authenticated;

create function private.is_known(name text) returns boolean
language sql
stable
set search_path = ''
as $$ select name <> '' $$;
grant execute on function private.is_known(text) to authenticated;

create table public.people (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  city text
);
create index on public.people (city);
comment on table public.people is 'People.';

alter table public.people enable row level security;
grant select on public.people to authenticated;
create policy "everybody reads known people" on public.people
  for select to authenticated
  using (private.is_known(name));
`;

const NEW_TABLE = `
create table public.notes (
  id uuid primary key default gen_random_uuid(),
  person_id uuid not null references public.people (id) on delete cascade,
  kind text not null check (kind in ('call', 'mail')),
  written_at timestamptz not null default now()
);
create index on public.notes (person_id) where kind = 'call';
comment on table public.notes is 'What a person''s friends wrote.';
comment on column public.notes.kind is 'How.';

create function private.set_written_at() returns trigger
language plpgsql
set search_path = ''
as $$ begin new.written_at := now(); return new; end $$;
create trigger set_written_at
  before update on public.notes
  for each row execute function private.set_written_at();

alter table public.notes enable row level security;
grant select (id, kind) on public.notes to authenticated;
grant select, insert on public.notes to service_role;
create policy "everybody reads notes" on public.notes
  for select to authenticated
  using (exists (select from public.people p where p.id = notes.person_id));

-- The differ has to write the second function first.
create function private.second_of_two() returns integer
language sql set search_path = '' as 'select 2';
create function private.first_of_two() returns integer
language sql set search_path = '' as 'select private.second_of_two()';

alter default privileges in schema public grant select on tables to service_role;
`;

/** A project with one schema file and its migration. */
class Project {
  readonly root = Deno.makeTempDirSync({ prefix: "lead-intake-" });
  readonly #schema = join(this.root, "supabase/schemas/people/tables.sql");
  readonly #scratch: Scratch;

  constructor(scratch: Scratch) {
    this.#scratch = scratch;
    for (const folder of ["schemas/people", "migrations", "functions/_shared", "../docs"]) {
      Deno.mkdirSync(join(this.root, "supabase", folder), { recursive: true });
    }
    Deno.writeTextFileSync(join(this.root, "package.json"), '{"version": "1.2.3"}');
    Deno.writeTextFileSync(join(this.root, "supabase/config.toml"), 'schema_paths = ["./schemas/people/tables.sql"]\n');
    Deno.writeTextFileSync(this.#schema, SCHEMA);
    const migration = "supabase/migrations/20260101000000_people.sql";
    Deno.writeTextFileSync(join(this.root, migration), SCHEMA);
  }

  edit(text: string, replacement: string): void {
    const schema = Deno.readTextFileSync(this.#schema);
    assert.equal(schema.split(text).length, 2, `${text} stands once in the schema`);
    Deno.writeTextFileSync(this.#schema, schema.replace(text, () => replacement));
  }

  add(text: string): void {
    Deno.writeTextFileSync(this.#schema, text, { append: true });
  }

  migrations(): string[] {
    const names = Deno.readDirSync(join(this.root, "supabase/migrations"));
    return Array.from(names, ({ name }) => `supabase/migrations/${name}`).sort();
  }

  /** A module that is written for the functions. */
  module(name: string): string {
    return Deno.readTextFileSync(join(this.root, "supabase/functions/_shared", name));
  }

  write(topic: string): Promise<Written> {
    return writeMigration(topic, this.#scratch, this.root);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.root, { recursive: true });
  }
}

Deno.test("npm run migration", async (test) => {
  await withScratch(readStackInfo().db_url, async (scratch) => {
    await test.step("brings the migrations to what the schemas have, with the types and the newest version", async () => {
      using project = new Project(scratch);
      project.edit("  name text not null,\n", "  name text not null check (name <> ''),\n  age int,\n");
      project.edit("  city text\n", "  country text\n");
      project.edit("create index on public.people (city);\n", "");
      project.edit("select name <> ''", "select name is not null");
      project.edit("everybody reads known people", "everybody reads people");
      project.add(NEW_TABLE);

      const [first] = project.migrations();
      const { path, sql, destructive, missing, generated } = await project.write("notes");
      assert.deepEqual(missing, []);
      assert.match(path!, /^supabase\/migrations\/\d{14}_notes\.sql$/);
      assert.deepEqual(project.migrations(), [first, path]);
      assert.equal(Deno.readTextFileSync(join(project.root, path!)), sql);
      for (const dropped of [/drop column "city"/, /drop policy/]) {
        assert(destructive.some((statement) => dropped.test(statement)), `${dropped} is told`);
      }
      // The types and the newest version are written with it.
      assert.deepEqual(generated, [
        "supabase/functions/_shared/database.types.ts",
        "supabase/functions/_shared/version.ts",
        "docs/schema.md",
      ]);
      assert.match(project.module("database.types.ts"), /"country": string \| null;/);
      const page = Deno.readTextFileSync(join(project.root, "docs/schema.md"));
      assert.match(
        page,
        /## people\n[^]*### people\n\nPeople\.\n\n[^]*- `country` \(text, optional\)/,
      );
      const [, version] = /\/(\d{14})_/.exec(path!)!;
      assert.match(project.module("version.ts"), /VERSION = "1\.2\.3"/);
      assert(project.module("version.ts").includes(`NEWEST_MIGRATION = "${version}"`));

      const again = await project.write("again");
      assert.deepEqual([again.sql, again.destructive, again.missing], ["", [], []]);
      assert.deepEqual(project.migrations(), [first, path]);
    });

    await test.step("is asked for while the schemas are ahead of the migrations", async () => {
      using project = new Project(scratch);
      const lack = () => whatMigrationsLack(readStackInfo().db_url, project.root);
      assert.equal(await lack(), undefined);
      project.edit("  city text\n", "  city text,\n  country text\n");
      assert.match((await lack())!, /^supabase\/schemas is ahead of .* npm run migration -- <topic>/);
      Deno.removeSync(join(project.root, project.migrations()[0]!));
      await writeBaseline(scratch, project.root);
      assert.equal(await lack(), undefined);
      project.add("select nonsense;");
      assert.match((await lack())!, /npm run migration -- --baseline/);
    });

    await test.step("tells what the differ cannot write", async () => {
      using project = new Project(scratch);
      project.add(`
        insert into storage.buckets (id, name) values ('photos', 'photos');
        create policy "everybody reads photos" on storage.objects for select using (true);`);
      const before = project.migrations();
      const { path, missing } = await project.write("photos");
      assert.equal(path, undefined);
      assert.deepEqual(project.migrations(), before);
      const told = missing.join("\n");
      assert.match(told, /only in schemas: .*row of storage\.buckets: .*"id": "photos"/);
      assert.match(told, /only in schemas: .*policy "everybody reads photos" on storage\.objects/);
    });

    await test.step("writes the baseline again as long as nothing builds on it", async () => {
      using project = new Project(scratch);
      const [later] = project.migrations();
      const write = () => writeBaseline(scratch, project.root);
      await assert.rejects(write, {
        message: `The baseline stays as it is, because ${later} builds on it: npm run migration -- <topic>`,
      });
      Deno.removeSync(join(project.root, later!));
      const [baseline] = await write();
      assert.deepEqual(project.migrations(), [baseline]);
      assert(Deno.readTextFileSync(join(project.root, baseline!)).endsWith(SCHEMA));
      project.edit("  city text\n", "  city text,\n  country text\n");
      assert.deepEqual([(await write())[0], project.migrations()], [baseline, [baseline]]);
      assert.match(project.module("database.types.ts"), /"country": string \| null;/);
      assert.equal((await project.write("again")).sql, "");
    });

    await test.step("writes nothing when a schema file does not apply, and names it", async () => {
      using project = new Project(scratch);
      project.add("create function private.extra() returns integer\nlanguage sqll\nas 'select 1';\n");
      const before = project.migrations();
      await assert.rejects(project.write("extra"), {
        message: 'supabase/schemas/people/tables.sql: language "sqll" does not exist',
      });
      assert.deepEqual(project.migrations(), before);
    });

    await test.step("tells the line of an error where Postgres does", async () => {
      const text = "select 1;\n\nselect\n  nowhere\nfrom pg_class;";
      const message = 'x.sql:4: column "nowhere" does not exist';
      await assert.rejects(scratch.build([{ path: "x.sql", text }]), { message });
    });

    await test.step("takes a migration that refuses a transaction", async () => {
      const text = "-- Without a lock.\ncreate index concurrently on public.extra (id);";
      const table = { path: "1.sql", text: "create table public.extra (id uuid);" };
      await scratch.build([table, { path: "2.sql", text }]);
    });
  });
});

const WRONG: [args: string, message: RegExp][] = [
  ["", /A migration needs a topic/],
  ["--baseline daily_cap", /The baseline has no topic/],
  ["Daily-Cap", /"Daily-Cap" is no topic: use lower-case words with underscores/],
  ["../x", /is no topic/],
  ["daily_cap again", /too many arguments/],
];
for (const [args, message] of WRONG) {
  Deno.test(`npm run migration -- ${args} is wrong usage`, () => {
    const { code, stdout, stderr } = new Deno.Command("sh", {
      args: ["dev/scripts/run.sh", "dev/scripts/migration/main.ts", ...args.split(" ").filter(Boolean)],
      cwd: ROOT,
    }).outputSync();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), message);
    assert.equal(new TextDecoder().decode(stdout), "");
  });
}
