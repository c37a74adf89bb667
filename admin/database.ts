import postgres from "postgres";
import { readStackInfo } from "../local/mod.ts";
import { CommandError, UsageError } from "./outcome.ts";

/** The database that a command line means. */
export interface Target {
  dbUrl: string;
  /** The `{base_url}` that goes with it. */
  baseUrl: string;
}

const LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"];

/**
 * Finds the database: the one given, else the one in SUPABASE_DB_URL, else the running local stack's.
 *
 * @throws {CommandError} when none is given and no stack runs
 * @throws {UsageError} when what is given is not an address
 */
export function findTarget(given: string | undefined): Target {
  const dbUrl = given ?? (Deno.env.get("SUPABASE_DB_URL") || undefined);
  if (dbUrl !== undefined) {
    const name = given === undefined ? "SUPABASE_DB_URL" : "--db-url";
    if (!URL.canParse(dbUrl)) {
      throw new UsageError(
        `${name}: give an address such as postgresql://postgres:<password>@<host>:5432/postgres`,
      );
    }
    return { dbUrl, baseUrl: "https://<project>.supabase.co/functions/v1" };
  }
  try {
    const stack = readStackInfo();
    return { dbUrl: stack.db_url, baseUrl: stack.functions_url };
  } catch (error) {
    throw new CommandError(`${(error as Error).message} For a hosted project, give --db-url.`);
  }
}

/** Connects, with TLS unless the database is on this machine. */
export function connect(dbUrl: string): postgres.Sql {
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
}

/** Says what is wrong with the database itself, without showing its password. */
export function explainConnection(error: unknown, dbUrl: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  const { host } = new URL(dbUrl);
  const reasons: Record<string, string> = {
    "42P01": `The database at ${host} does not have the service's tables yet: npx supabase db push`,
    "28P01": `The database at ${host} does not accept this password`,
    "28000": `The database at ${host} does not accept this user`,
  };
  const other = error.name === "PostgresError"
    ? `The database at ${host} refused this: ${error.message} (${error.code})`
    : `The database at ${host} could not be asked (${error.code}). Is it running?`;
  return new CommandError(reasons[String(error.code)] ?? other);
}
