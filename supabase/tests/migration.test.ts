import assert from "node:assert/strict";
import { join } from "node:path";
import { readStackInfo, ROOT } from "../../local/mod.ts";
import { withScratch } from "../../scripts/migration/scratch.ts";
import { writeMigration, type Written } from "../../scripts/migration/write.ts";

const { db_url } = readStackInfo();

/** A copy of `supabase/schemas` and `supabase/migrations`, which a test may change. */
class Copy {
  readonly root = Deno.makeTempDirSync({ prefix: "lead-intake-" });

  constructor() {
    for (const folder of ["supabase/schemas", "supabase/migrations"]) {
      Deno.mkdirSync(join(this.root, folder), { recursive: true });
      for (const { name } of Deno.readDirSync(join(ROOT, folder))) {
        Deno.copyFileSync(join(ROOT, folder, name), join(this.root, folder, name));
      }
    }
  }

  /** Replaces a text that stands once in a schema file. */
  edit(file: string, text: string, replacement: string): void {
    const path = join(this.root, "supabase/schemas", file);
    const before = Deno.readTextFileSync(path);
    assert.equal(before.split(text).length, 2, `${text} stands once in ${file}`);
    Deno.writeTextFileSync(path, before.replace(text, () => replacement));
  }

  add(file: string, text: string): void {
    Deno.writeTextFileSync(join(this.root, "supabase/schemas", file), text, { append: true });
  }

  migrations(): string[] {
    return Array.from(Deno.readDirSync(join(this.root, "supabase/migrations")), ({ name }) => name);
  }

  write(topic: string): Promise<Written> {
    return writeMigration(topic, db_url, this.root);
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.root, { recursive: true });
  }
}

const NEW_TABLE = `
create table public.vendor_notes (
  id uuid primary key default gen_random_uuid(),
  vendor_id uuid not null references public.vendors (id) on delete cascade,
  kind text not null check (kind in ('call', 'mail')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create index on public.vendor_notes (vendor_id) where kind = 'call';
comment on table public.vendor_notes is 'What was agreed with a vendor''s people.';
comment on column public.vendor_notes.kind is 'How.';

create trigger set_updated_at
  before update on public.vendor_notes
  for each row execute function private.set_updated_at();

alter table public.vendor_notes enable row level security;
grant select (id, kind) on public.vendor_notes to authenticated;
grant select, insert on public.vendor_notes to service_role;

create policy "agents read notes" on public.vendor_notes
  for select to authenticated
  using ((select private.current_agent_id()) is not null);

create function private.first_of_two() returns integer
language sql
set search_path = ''
as 'select private.second_of_two()';
comment on function private.first_of_two() is 'Calls a function that is made after it.';
`;

Deno.test("a migration brings the migrations to what the schemas have", async () => {
  using copy = new Copy();
  copy.edit(
    "20_vendors.sql",
    "  parser text,\n",
    "  parser text,\n  notes text check (notes <> ''),\n",
  );
  // The order in which the differ has to write them is not that of their names.
  copy.add(
    "02_helpers.sql",
    `
create function private.second_of_two() returns integer language sql set search_path = '' as 'select 2';
grant execute on function private.second_of_two() to service_role;
`,
  );
  copy.add("20_vendors.sql", NEW_TABLE);
  copy.edit("34_ingest.sql", "'missing first_name'", "'first_name is missing'");
  copy.edit("33_distribution.sql", "stable\nrows 1\n", "volatile\nrows 1\n");
  copy.edit("40_leads.sql", "  zip text,\n", "");
  copy.edit("42_import_leads.sql", "'agency_id: no such agency'", "'agency_id: unknown'");
  copy.edit(
    "40_leads.sql",
    `"agents read their leads, managers their agency's"`,
    `"agents read leads"`,
  );
  copy.edit("43_lead_activities.sql", "create index on public.lead_activities (agent_id);\n", "");

  const before = copy.migrations();
  const { path, sql, destructive, missing } = await copy.write("notes");
  assert.deepEqual(missing, []);
  assert.match(path!, /^supabase\/migrations\/\d{14}_notes\.sql$/);
  const [added, ...others] = copy.migrations().filter((name) => !before.includes(name));
  assert.deepEqual([`supabase/migrations/${added}`, others], [path, []]);
  assert.equal(added, copy.migrations().sort().at(-1), "the new migration is the last one");
  assert.equal(Deno.readTextFileSync(join(copy.root, path!)), sql);
  for (const dropped of [/drop column "zip"/, /drop index/, /drop policy/]) {
    assert(destructive.some((statement) => dropped.test(statement)), `${dropped} is told`);
  }

  assert.deepEqual(await copy.write("again"), { sql: "", destructive: [], missing: [] });
});

Deno.test("what the differ cannot write is told", async () => {
  using copy = new Copy();
  copy.add(
    "32_resumes.sql",
    `
update storage.buckets set file_size_limit = 1 where id = 'resumes';
create policy "agents read resumes" on storage.objects for select to authenticated using (bucket_id = 'resumes');
`,
  );
  const before = copy.migrations();
  const { path, missing } = await copy.write("resumes");
  assert.equal(path, undefined);
  assert.deepEqual(copy.migrations(), before);
  assert.match(
    missing.join("\n"),
    /only in schemas: .*row of storage\.buckets: .*"file_size_limit": 1\b/,
  );
  assert.match(
    missing.join("\n"),
    /only in schemas: .*policy "agents read resumes" on storage\.objects/,
  );
});

Deno.test("a schema file that does not apply is told with its line, and nothing is written", async () => {
  using copy = new Copy();
  const lines = Deno.readTextFileSync(join(copy.root, "supabase/schemas/02_helpers.sql")).split(
    "\n",
  );
  copy.add(
    "02_helpers.sql",
    "\ncreate function private.extra() returns integer\nlanguage sqll\nas 'select 1';\n",
  );
  const before = copy.migrations();
  await assert.rejects(copy.write("fault"), {
    message: `supabase/schemas/02_helpers.sql:${lines.length + 1}: language "sqll" does not exist`,
  });
  assert.deepEqual(copy.migrations(), before);
});

Deno.test("an error names the line, whether Postgres tells a position or not", async () => {
  await withScratch(db_url, async (scratch) => {
    for (
      const [text, message] of [
        [
          "select 1;\n\nselect\n  nowhere\nfrom pg_class;",
          'x.sql:4: column "nowhere" does not exist',
        ],
        [
          "\n-- Again; and again.\ncreate table auth.users (id uuid);",
          'x.sql:3: relation "users" already exists',
        ],
      ] as const
    ) {
      await assert.rejects(scratch.build([{ path: "x.sql", text }]), { message });
    }
  });
});

Deno.test("a migration of one statement is applied without a transaction", async () => {
  await withScratch(db_url, async (scratch) => {
    await scratch.build([
      { path: "1.sql", text: "create table public.extra (id uuid);" },
      {
        path: "2.sql",
        text: "-- Without a lock.\ncreate index concurrently on public.extra (id);",
      },
    ]);
  });
});

for (
  const [args, message] of [
    [[], /missing required argument 'topic'/],
    [["Daily-Cap"], /"Daily-Cap" is no topic: use lower-case words with underscores/],
    [["../x"], /is no topic/],
    [["daily_cap", "again"], /too many arguments/],
  ] as const
) {
  Deno.test(`npm run migration -- ${args.join(" ")} is wrong usage`, () => {
    const { code, stdout, stderr } = new Deno.Command("sh", {
      args: ["scripts/run.sh", "scripts/migration/main.ts", ...args],
      cwd: ROOT,
    }).outputSync();
    assert.equal(code, 2);
    assert.match(new TextDecoder().decode(stderr), message);
    assert.equal(new TextDecoder().decode(stdout), "");
  });
}
