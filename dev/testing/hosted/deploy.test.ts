import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { connect, HOSTED_DENO, readStackInfo } from "../../local/mod.ts";
import { assertSignUpClosed } from "../../scripts/auth_settings.ts";
import { FUNCTION_NAMES } from "../../scripts/edge_functions.ts";
import { migrationFiles } from "../../scripts/migration/files.ts";
import { type HostedDatabase, withHostedDatabase } from "./hosted_database.ts";
import { HostedPlatform } from "./platform.ts";
import { restores } from "./restore.ts";
import { run, runScript } from "./run.ts";

const stack = readStackInfo();

/** The Deno of hosted projects where it is installed, else the pinned one. */
const deno = existsSync(HOSTED_DENO) ? HOSTED_DENO : Deno.execPath();

/** The e2e tests that use every function, and the storage. The code of the others is in the same bundles. */
const E2E_TESTS = ["spec", "ingest_resume"].map((name) => `e2e/routes/${name}.test.ts`);

Deno.test("npm run deploy", async (test) => {
  const platform = new HostedPlatform(stack, { deno });
  try {
    await withHostedDatabase(stack.db_url, async (database) => {
      await database.admin`
        insert into storage.buckets (id, name, public) values ('resumes', 'resumes', true)`;
      await database.admin.unsafe(`create schema private authorization ${database.owner}`);

      await test.step("refuses a wrong command line", () => refusesWrongUsage(platform));
      await test.step(
        "with --dry-run says what it would do and where it would stop, and changes nothing",
        () => changesNothing(platform, database),
      );
      await test.step(
        "stops before any change where a secret is missing, and names it",
        () => stopsWithoutSecrets(platform, database),
      );
      await test.step("takes no project where an address counts as confirmed", async () => {
        platform.authSettings = { mailer_autoconfirm: true };
        const assertion = assertSignUpClosed(platform.url, stack.publishable_key);
        await assert.rejects(assertion, /an address counts as confirmed/);
        platform.authSettings = {};
      });
      await test.step(
        "sends each function as one file that imports Node's modules alone, and applies the migrations as an owner who is not a superuser",
        () => deploysEverything(platform, database),
      );
      await test.step("lets agents hear of their notifications once there is Realtime", async () => {
        const sql = connect(database.url);
        const [row] = await sql`select private.allow_agent_topics() as is_allowed`;
        await sql.end();
        assert.equal(row!.is_allowed, true);
      });
      await test.step("makes a bucket resumes that was there already private", async () => {
        const [bucket] = await database
          .admin`select public from storage.buckets where id = 'resumes'`;
        assert.equal(bucket?.public, false);
      });
      await test.step("docs/restoring.md: a new project gets all rows and logins of a lost one", () =>
        restores(database));
    });
    const runtime = deno === HOSTED_DENO ? "the platform's Deno" : "the pinned Deno";
    await test.step(
      `what was sent passes the e2e tests on ${runtime}, with the newer keys alone`,
      () => passesE2eTests(platform),
    );
  } finally {
    await platform.stop();
  }
});

function deploy(platform: HostedPlatform, args: readonly string[], env: Record<string, string> = {}) {
  return runScript(
    "dev/scripts/deploy/main.ts",
    [`--project-ref=${platform.projectRef}`, `--url=${platform.url}`, ...args],
    { SUPABASE_DB_URL: "", ...platform.cliEnv, ...env },
  );
}

async function refusesWrongUsage(platform: HostedPlatform): Promise<void> {
  const transactionMode = "postgres://user:password@pooler.example:6543/postgres";
  const otherProject = "postgres://postgres.abcdefghijklmnopqrsz:password@x:5432/postgres";
  for (
    const [args, env, reason] of [
      [[`--db-url=${transactionMode}`], {}, /session pooler/],
      [[`--db-url=${otherProject}`], {}, /project abc/],
      // The arguments that `npm run deploy --dry-run -- …` leaves.
      [[], { npm_config_dry_run: "true" }, /npm has kept --dry-run for itself/],
    ] as const
  ) {
    const { code, output } = await deploy(platform, args, env);
    assert.equal(code, 2, output);
    assert.match(output, reason);
    assert(!output.includes("password@"), output);
  }
  assert.deepEqual(platform.requests, []);
}

async function changesNothing(platform: HostedPlatform, { url, admin }: HostedDatabase) {
  platform.secretNames = ["LEADS_IMPORT_API_KEY"];
  platform.authSettings = { disable_signup: false };
  const { code, output } = await deploy(platform, [`--db-url=${url}`, "--dry-run"]);
  platform.authSettings = {};
  assert.equal(code, 0, output);
  assert.match(output, /It would stop here: secrets are missing/);
  assert.match(output, /It would stop here: anybody can sign up\. .*Authentication/);
  assert(!output.includes("sb_"), output);
  for (const name of FUNCTION_NAMES) assert.match(output, new RegExp(`${name} +\\d+ kB`));
  for (const { path } of migrationFiles()) {
    assert(output.includes(path.replace(/^.*\//, "")), output);
  }
  assert.deepEqual(platform.requests.filter((request) => !request.startsWith("GET ")), []);
  assert.deepEqual(await appliedMigrations(admin), []);
}

async function stopsWithoutSecrets(platform: HostedPlatform, { url, admin }: HostedDatabase) {
  const { code, output } = await deploy(platform, [`--db-url=${url}`]);
  platform.secretNames.push("TWILIO_AUTH_TOKEN");
  assert.equal(code, 1, output);
  assert.match(output, /supabase secrets set --remote=\w+ TWILIO_AUTH_TOKEN=…/);
  assert.equal(platform.uploads.size, 0);
  assert.deepEqual(await appliedMigrations(admin), []);
}

async function deploysEverything(platform: HostedPlatform, { url, admin }: HostedDatabase) {
  // Realtime makes its table when it is first used, which may be later.
  await admin`alter schema realtime rename to realtime_later`;
  const { code, output } = await deploy(platform, [`--db-url=${url}`]);
  await admin`alter schema realtime_later rename to realtime`;
  assert.equal(code, 0, output);
  assert.match(output, /Realtime has no table in this project yet/);
  assert(!output.includes(url), output);
  assert.equal((await appliedMigrations(admin)).length, migrationFiles().length);
  assert.deepEqual([...platform.uploads.keys()].sort(), FUNCTION_NAMES);
  for (const [name, { files, metadata, folder }] of platform.uploads) {
    const path = `supabase/functions/${name}/index.js`;
    assert.deepEqual(Object.keys(files), [path]);
    assert(files[path]! < 1_000_000, `${name} has ${files[path]} bytes`);
    const code = Deno.readTextFileSync(`${folder}/${path}`);
    const imported = [...code.matchAll(/(?:^|[;}])import[^;"()]*"([^"]+)"/g)].map(([, from]) => from!);
    assert(imported.length > 0 && imported.every((from) => from.startsWith("node:")), imported.join());
    assert.equal(metadata.entrypoint_path, path);
    assert.equal(metadata.verify_jwt, false);
  }
}

async function appliedMigrations(sql: HostedDatabase["admin"]): Promise<string[]> {
  const [{ exists }] = await sql<[{ exists: boolean }]>`
    select to_regclass('supabase_migrations.schema_migrations') is not null as exists`;
  if (!exists) return [];
  const rows = await sql`select version from supabase_migrations.schema_migrations`;
  return rows.map(({ version }) => version);
}

async function passesE2eTests(platform: HostedPlatform): Promise<void> {
  const { code, output } = await run(
    Deno.execPath(),
    ["test", "--allow-all", "--no-check", "--quiet", ...E2E_TESTS],
    { STACK_FILE: platform.writeStackFile() },
  );
  assert.equal(code, 0, output);
}
