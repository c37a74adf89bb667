import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { connect, readStackInfo, ROOT } from "../../local/mod.ts";
import { migrationFiles } from "../../scripts/migration/files.ts";
import { applyFiles, withScratch } from "../../scripts/migration/scratch.ts";
import { installPgtap, runTapFile } from "../../testing/pgtap.ts";

const { db_url } = readStackInfo();
const TESTS = join(ROOT, "supabase/tests");

/**
 * Hosted projects give their owner a role that is no superuser; auth and storage belong to others. These are its
 * rights there.
 */
const RIGHTS = (role: string, database: string) => `
  alter database ${database} owner to ${role};
  grant usage on schema auth, storage, extensions to ${role};
  grant all on all tables in schema auth, storage to ${role};
  alter default privileges for role ${role} in schema public
    grant all on tables to anon, authenticated, service_role;
  alter default privileges for role ${role} in schema public
    grant all on functions to anon, authenticated, service_role;
  alter default privileges for role ${role} in schema public
    grant all on sequences to anon, authenticated, service_role;
  -- A hosted owner may make policies on this table; plain Postgres lets only the owner of the table.
  alter table storage.objects owner to ${role};
  create extension pgtap with schema extensions;
  create extension dblink with schema extensions`;

Deno.test("an owner who is no superuser", async (test) => {
  await installPgtap();
  const role = `scratch_owner_${randomBytes(4).toString("hex")}`;
  const admin = connect(db_url);
  // The password is the one that the database tests connect with.
  await admin.unsafe(`
    create role ${role} login bypassrls createrole password 'postgres';
    grant anon, authenticated, service_role to ${role}`);
  try {
    await withScratch(db_url, async (scratch) => {
      const url = new URL(await scratch.create());
      const database = connect(url.href);
      await database.unsafe(RIGHTS(role, url.pathname.slice(1)));
      url.username = role;
      url.password = "postgres";
      await test.step("may have a public bucket resumes and a schema private already", async () => {
        await database`insert into storage.buckets (id, name, public) values ('resumes', 'resumes', true)`;
        await database.unsafe(`create schema private authorization ${role}`);
      });

      await test.step("applies the migrations and the seed", async () => {
        const seed = {
          path: "supabase/seed.sql",
          text: Deno.readTextFileSync(join(ROOT, "supabase/seed.sql")),
        };
        await applyFiles(url.href, [...migrationFiles(), seed]);
        const [bucket] = await database`select public from storage.buckets where id = 'resumes'`;
        assert.equal(bucket?.public, false);
      });
      await database.end();
      // Races are about time and not about rights.
      const files = Array.from(Deno.readDirSync(TESTS), ({ name }) => name)
        .filter((name) => name.endsWith(".test.sql") && !name.includes("races"));
      for (const file of files.sort()) {
        await test.step(`passes ${file}`, async () => {
          const sql = connect(url.href);
          const { failed, diagnostics } = await runTapFile(sql, join(TESTS, file));
          await sql.end();
          assert.equal(failed, 0, diagnostics.join("\n"));
        });
      }
    });
  } finally {
    await admin.unsafe(`drop role ${role}`);
    await admin.end();
  }
});
