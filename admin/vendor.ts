/** `npm run vendor`: takes on vendors, gives them keys, and shows what a parser makes of their payloads. */
import postgres from "postgres";
import { readStackInfo } from "../local/mod.ts";
import { type Invocation, readInvocation, USAGE, UsageError } from "./vendor_args.ts";
import { CommandError, run } from "./vendor_commands.ts";

const LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"];

try {
  const invocation = readInvocation(Deno.args);
  if (invocation === null) console.log(USAGE);
  else await carryOut(invocation);
} catch (error) {
  if (error instanceof UsageError) fail(`${error.message}\n\n${USAGE}`, 2);
  if (error instanceof CommandError) fail(error.message, 1);
  throw error;
}

async function carryOut({ command, dbUrl, json }: Invocation): Promise<void> {
  const target = findTarget(dbUrl ?? (Deno.env.get("SUPABASE_DB_URL") || undefined));
  const sql = connect(target.dbUrl);
  try {
    const { data, text } = await run(sql, command, target.baseUrl);
    console.log(json ? JSON.stringify(data, null, 2) : text);
  } catch (error) {
    throw explain(error, target.dbUrl);
  } finally {
    await sql.end();
  }
}

/** The database, and the `{base_url}` that goes with it. */
function findTarget(dbUrl: string | undefined): { dbUrl: string; baseUrl: string } {
  if (dbUrl !== undefined) return { dbUrl, baseUrl: "https://<project>.supabase.co/functions/v1" };
  try {
    const stack = readStackInfo();
    return { dbUrl: stack.db_url, baseUrl: stack.functions_url };
  } catch (error) {
    fail(`${(error as Error).message} For a hosted project, give --db-url.`, 1);
  }
}

function connect(dbUrl: string): postgres.Sql {
  try {
    const url = new URL(dbUrl);
    const isLocal = LOCAL_HOSTS.includes(url.hostname);
    return postgres(dbUrl, {
      max: 1,
      connect_timeout: 10,
      onnotice: () => {},
      // A pooler in transaction mode, which hosted projects offer, keeps no prepared statements.
      prepare: false,
      ...(!isLocal && !url.searchParams.has("sslmode") && { ssl: "require" as const }),
    });
  } catch {
    fail("--db-url is an address such as postgresql://postgres:<password>@<host>:5432/postgres", 1);
  }
}

/** What went wrong with the database itself, without its password. */
function explain(error: unknown, dbUrl: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || error instanceof CommandError) {
    return error;
  }
  const { host } = new URL(dbUrl);
  const reasons: Record<string, string> = {
    "42P01": `The database at ${host} has not got the service's tables yet: npx supabase db push`,
    "28P01": `The database at ${host} does not accept this password`,
    "28000": `The database at ${host} does not accept this user`,
  };
  const reason = reasons[String(error.code)] ??
    `The database at ${host} could not be asked (${error.code}). Is it running?`;
  return new CommandError(reason);
}

function fail(message: string, code: number): never {
  console.error(message);
  Deno.exit(code);
}
