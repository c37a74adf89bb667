import assert from "node:assert/strict";
import { join } from "node:path";
import { readStackInfo, ROOT } from "../../../dev/local/mod.ts";
import { whatMigrationsLack } from "../../../dev/scripts/migration/ahead.ts";
import { type Scratch, withScratch } from "../../../dev/scripts/migration/scratch.ts";
import { writeBaseline, writeMigration, type Written } from "../../../dev/scripts/migration/write.ts";

const SCHEMA = `create table public.people (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  city text
);
comment on table public.people is 'People.';
`;

const MORE = `
create function public.is_known(name text) returns boolean
language sql
set search_path = ''
as $$ select name <> '' $$;
alter table public.people enable row level security;
grant select on public.people to authenticated;
create policy "everybody reads known people" on public.people
  for select to authenticated
  using (public.is_known(name));
`;

/** Of these the differ writes nothing. */
const PHOTOS = `
insert into storage.buckets (id, name) values ('photos', 'photos');
create policy "everybody reads photos" on storage.objects for select using (true);
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
    await test.step("writes what the migrations lack, with the types, and tells what the differ cannot write", async () => {
      using project = new Project(scratch);
      project.edit("  city text\n", "  country text\n");
      project.add(MORE + PHOTOS);

      const [first] = project.migrations();
      const { path, sql, destructive, missing, generated } = await project.write("countries");
      assert.match(path!, /^supabase\/migrations\/\d{14}_countries\.sql$/);
      assert.deepEqual(project.migrations(), [first, path]);
      assert.equal(Deno.readTextFileSync(join(project.root, path!)), sql);
      assert.deepEqual(destructive.map((statement) => /drop column "city"/.test(statement)), [true]);
      assert.equal(missing.length, 2, missing.join("\n"));
      assert.match(missing[0]!, /^only in schemas: +policy "everybody reads photos" on storage\.objects/);
      assert.match(missing[1]!, /^only in schemas: +row of storage\.buckets: .*"id": "photos"/);

      assert.deepEqual(generated, [
        "supabase/functions/_shared/database.types.ts",
        "supabase/functions/_shared/version.ts",
        "docs/schema.md",
      ]);
      assert.match(project.module("database.types.ts"), /"country": string \| null;/);
      const page = Deno.readTextFileSync(join(project.root, "docs/schema.md"));
      assert.match(page, /## people\n[^]*### people\n\nPeople\.\n\n[^]*- `country` \(text, optional\)/);
      const [, version] = /\/(\d{14})_/.exec(path!)!;
      assert.match(project.module("version.ts"), /VERSION = "1\.2\.3"/);
      assert(project.module("version.ts").includes(`NEWEST_MIGRATION = "${version}"`));
    });

    await test.step("is asked for while the schemas are ahead, and writes the baseline as long as nothing builds on it", async () => {
      using project = new Project(scratch);
      const lack = () => whatMigrationsLack(readStackInfo().db_url, project.root);
      const write = () => writeBaseline(scratch, project.root);
      assert.equal(await lack(), undefined);
      project.edit("  city text\n", "  country text\n");
      assert.match((await lack())!, /^supabase\/schemas is ahead of .* npm run migration -- <topic>/);
      const [later] = project.migrations();
      await assert.rejects(write, {
        message: `The baseline stays as it is, because ${later} builds on it: npm run migration -- <topic>`,
      });

      Deno.removeSync(join(project.root, later!));
      const [baseline] = await write();
      assert.deepEqual(project.migrations(), [baseline]);
      const written = Deno.readTextFileSync(join(project.root, baseline!));
      assert(written.endsWith(SCHEMA.replace("city", "country")));
      assert.match(project.module("database.types.ts"), /"country": string \| null;/);
      assert.equal(await lack(), undefined);

      project.add("select nonsense;");
      assert.match((await lack())!, /npm run migration -- --baseline/);
      const message = 'supabase/schemas/people/tables.sql:7: column "nonsense" does not exist';
      await assert.rejects(write, { message });
      await assert.rejects(project.write("extra"), { message });
      assert.equal(Deno.readTextFileSync(join(project.root, baseline!)), written);
      assert.deepEqual(project.migrations(), [baseline]);
    });

    await test.step("takes a migration that refuses a transaction", async () => {
      const text = "-- Without a lock.\ncreate index concurrently on public.extra (id);";
      const table = { path: "1.sql", text: "create table public.extra (id uuid);" };
      await scratch.build([table, { path: "2.sql", text }]);
    });
  });
});

// files.test.ts has every topic that is none.
Deno.test("npm run migration -- ../x is wrong usage", () => {
  const { code, stdout, stderr } = new Deno.Command("sh", {
    args: ["dev/scripts/run.sh", "dev/scripts/migration/main.ts", "../x"],
    cwd: ROOT,
  }).outputSync();
  assert.equal(code, 2);
  assert.match(new TextDecoder().decode(stderr), /"\.\.\/x" is no topic: use lower-case words with underscores/);
  assert.equal(new TextDecoder().decode(stdout), "");
});
