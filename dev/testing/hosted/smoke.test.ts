import assert from "node:assert/strict";
import { connect, readStackInfo } from "../../local/mod.ts";
import { runScript } from "./run.ts";

const stack = readStackInfo();
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

Deno.test("npm run smoke passes on the running stack, and stores nothing", async () => {
  const before = await rowCounts();
  const { code, output } = await runScript("dev/scripts/smoke/main.ts", []);
  assert.equal(code, 0, output);
  assert.match(output, /\d+ passed, 0 failed, 0 skipped/);
  assert.match(output, /nobody can sign up/);
  assert.deepEqual(await rowCounts(), before);
});

Deno.test("npm run smoke names what fails with what to do, and skips what it has no key for", async () => {
  const keys = Deno.makeTempFileSync();
  Deno.writeTextFileSync(keys, "VENDOR_API_KEY=lik_wrong\nTWILIO_AUTH_TOKEN=wrong\n");
  const { code, output } = await runScript("dev/scripts/smoke/main.ts", [`--url=${stack.api_url}/`, `--keys=${keys}`]);
  Deno.removeSync(keys);
  assert.equal(code, 1, output);
  assert.match(output, /FAILED +a vendor's key .*\n.*401.*\n.*What to do: .*revoked/);
  assert.match(output, /FAILED +a callback signed .*\n.*401.*\n.*What to do: .*TWILIO_AUTH_TOKEN/);
  assert.match(output, /skipped +the import key/);
  assert(!output.includes("lik_wrong"));
});

Deno.test("npm run smoke refuses a wrong command line", async () => {
  const { code, output } = await runScript("dev/scripts/smoke/main.ts", ["--url=https://x.example"]);
  assert.equal(code, 2, output);
  assert.match(output, /both --url and --keys/);
});
