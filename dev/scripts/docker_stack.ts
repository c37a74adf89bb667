/**
 * Describes the stack of `supabase start` as `npm start` describes its own, so that the e2e tests can run against it:
 *
 *     npx supabase status -o json | sh dev/scripts/run.sh dev/scripts/docker_stack.ts <stack.json>
 *     STACK_FILE=<stack.json> sh dev/scripts/run.sh test --allow-all e2e
 *
 * The secrets are those of `supabase/functions/.env`, which the functions of `supabase start` read too. Each vendor
 * with a parser gets a new key.
 */
import { parseEnv } from "node:util";
import { join } from "node:path";
import { connect, ROOT, type StackInfo, type VendorInfo } from "../local/mod.ts";
import { toStackInfo } from "./docker_stack_info.ts";

const [file] = Deno.args;
if (file === undefined) {
  console.error("Give the file to write, such as .local-docker/stack.json");
  Deno.exit(2);
}
const status = JSON.parse(await new Response(Deno.stdin.readable).text());
const env = parseEnv(Deno.readTextFileSync(join(ROOT, "supabase/functions/.env")));
const stack = toStackInfo(status, env);
const info: StackInfo = { ...stack, vendors: await newVendorKeys(stack.db_url) };
Deno.writeTextFileSync(file, JSON.stringify(info, null, 2), { mode: 0o600 });
console.log(`Wrote ${file}`);

async function newVendorKeys(dbUrl: string): Promise<VendorInfo[]> {
  const sql = connect(dbUrl);
  try {
    return await sql<VendorInfo[]>`
      select v.slug, v.parser, public.create_vendor_api_key(v.slug, 'supabase start') as api_key
      from public.vendors v
      where v.parser is not null and v.is_active
      order by v.slug`;
  } finally {
    await sql.end();
  }
}
