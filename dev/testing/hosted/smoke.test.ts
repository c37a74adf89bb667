import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../local/mod.ts";
import { HostedPlatform } from "./platform.ts";
import { runScript } from "./run.ts";

const stack = readStackInfo();
const KEYS = {
  VENDOR_API_KEY: stack.vendors.find(({ parser }) => parser === "generic")!.api_key,
  SUPABASE_PUBLISHABLE_KEY: stack.publishable_key,
  SUPABASE_ANON_KEY: stack.anon_key,
  LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
  AGENCY_ID: "a0000001-0000-4000-8000-000000000001",
  AGENT_ID: "b0000002-0000-4000-8000-000000000002",
  TWILIO_AUTH_TOKEN: stack.twilio_auth_token,
};

async function smoke(keys: Record<string, string>, url = stack.api_url) {
  const file = Deno.makeTempFileSync();
  try {
    const lines = Object.entries(keys).map(([name, value]) => `${name}=${value}\n`);
    Deno.writeTextFileSync(file, lines.join(""));
    return await runScript("dev/scripts/smoke/main.ts", [`--url=${url}/`, `--keys=${file}`]);
  } finally {
    Deno.removeSync(file);
  }
}

/** The number of rows of each table. */
async function rowCounts(): Promise<unknown> {
  const sql = connect(stack.db_url);
  try {
    const tables = await sql`
      select table_name from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE' order by table_name`;
    return Object.fromEntries(
      await Promise.all(tables.map(async ({ table_name }) => {
        const [row] = await sql`select count(*) from public.${sql(table_name)}`;
        return [table_name, row!.count];
      })),
    );
  } finally {
    await sql.end();
  }
}

Deno.test("npm run smoke passes on the running stack, by its options or without, and stores nothing", async () => {
  const before = await rowCounts();
  for (
    const { code, output } of [
      await smoke(KEYS),
      await runScript("dev/scripts/smoke/main.ts", []),
    ]
  ) {
    assert.equal(code, 0, output);
    assert.match(output, /\d+ passed, 0 failed, 0 skipped/);
  }
  assert.deepEqual(await rowCounts(), before);
});

Deno.test("npm run smoke names what fails with what to do, and skips what it has no key for", async () => {
  const { code, output } = await smoke({ VENDOR_API_KEY: "lik_wrong", TWILIO_AUTH_TOKEN: "wrong" });
  assert.equal(code, 1, output);
  assert.match(output, /FAILED +a vendor's key .*\n.*401.*\n.*What to do: .*revoked/);
  assert.match(output, /FAILED +a callback signed .*\n.*401.*\n.*What to do: .*TWILIO_AUTH_TOKEN/);
  assert.match(output, /skipped +the import key/);
  assert(!output.includes("lik_wrong"));
});

Deno.test("npm run smoke fails where anybody can sign up", async () => {
  const platform = new HostedPlatform(stack, { deno: Deno.execPath() });
  try {
    platform.authSettings = { disable_signup: false };
    const { code, output } = await smoke(KEYS, platform.url);
    assert.equal(code, 1, output);
    assert.match(
      output,
      /FAILED +nobody can sign up.*\n.*anybody can sign up\n.*What to do: .*off/,
    );
  } finally {
    await platform.stop();
  }
});

Deno.test("npm run smoke refuses a wrong command line", async () => {
  for (
    const [args, reason] of [
      [["--url=https://x.example"], /both --url and --keys/],
      [["--url=x", "--keys=/dev/null"], /--url must be/],
      [["--url=https://x.example", "--keys=/nowhere"], /--keys: /],
      [["--nonsense"], /unknown option/],
    ] as const
  ) {
    const { code, output } = await runScript("dev/scripts/smoke/main.ts", [...args]);
    assert.equal(code, 2, output);
    assert.match(output, reason);
  }
});
