import { dirname, join } from "node:path";
import { createClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { MAIL_FOLDER, readStackInfo, stackInfoFile } from "../dev/local/mod.ts";
import { codeOf, CommandError, UsageError } from "./errors.ts";

/** The database that a command line works on. */
export interface Target {
  dbUrl: string;
  /** The `{base_url}` that goes with it. */
  baseUrl: string;
  /** The project's API, for what needs more than the database; undefined if it is unknown. */
  api?: ProjectApi;
}

/** A project's address and a key that stands for the role `service_role`. */
export interface ProjectApi {
  url: string;
  secretKey: string;
  /** The folder of the local stack's unsent e-mails. */
  mailFolder?: string;
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
    const api = apiFromEnvironment();
    const baseUrl = `${api?.url ?? "https://<project ref>.supabase.co"}/functions/v1`;
    return { dbUrl, baseUrl, api };
  }
  try {
    const stack = readStackInfo();
    const mailFolder = join(dirname(stackInfoFile()), MAIL_FOLDER);
    const api = { url: stack.api_url, secretKey: stack.secret_key, mailFolder };
    return { dbUrl: stack.db_url, baseUrl: stack.functions_url, api };
  } catch (error) {
    throw new CommandError(`${(error as Error).message} For a hosted project, give --db-url.`);
  }
}

function apiFromEnvironment(): ProjectApi | undefined {
  const url = Deno.env.get("SUPABASE_URL")?.trim().replace(/\/+$/, "");
  const secretKey = Deno.env.get("SUPABASE_SECRET_KEY") ||
    Deno.env.get("SUPABASE_SERVICE_ROLE_KEY");
  return url && secretKey ? { url, secretKey } : undefined;
}

/** A client of the project's API, which acts as the service role. */
export function projectClient({ url, secretKey }: ProjectApi) {
  return createClient(url, secretKey, { auth: { persistSession: false, autoRefreshToken: false } });
}

/** The connections that no command uses, by address: tests run hundreds of commands in one process. */
const idle = new Map<string, postgres.Sql[]>();

/** Keeps a connection for the next command of this process. The end of the process closes it. */
export function keep(connection: postgres.Sql, dbUrl: string): void {
  idle.set(dbUrl, [...idle.get(dbUrl) ?? [], connection]);
}

/**
 * Connects, with TLS unless the database is on this machine. A transaction that does not say that it writes only reads;
 * a pooler in transaction mode, of port 6543, takes no such setting.
 */
export function connect(dbUrl: string): postgres.Sql {
  const kept = idle.get(dbUrl)?.pop();
  if (kept !== undefined) return kept;
  const url = new URL(dbUrl);
  const isLocal = LOCAL_HOSTS.includes(url.hostname);
  return postgres(dbUrl, {
    max: 1,
    connect_timeout: 10,
    onnotice: () => {},
    // A pooler in transaction mode, which hosted projects offer, keeps no prepared statements.
    prepare: false,
    ...(url.port !== "6543" && { connection: { default_transaction_read_only: true } }),
    ...(!isLocal && !url.searchParams.has("sslmode") && { ssl: "require" as const }),
  });
}

/** The value that a query returns: the first column of its only row. */
export async function valueOf<Value>(query: Promise<readonly postgres.Row[]>): Promise<Value> {
  const [row] = await query;
  return Object.values(row!)[0];
}

/** Explains an error of the database or of its connection, without the password. Other errors stay as they are. */
export function explainConnection(error: unknown, dbUrl: string): unknown {
  const code = codeOf(error);
  if (!(error instanceof Error) || code === "") return error;
  const { host } = new URL(dbUrl);
  const reasons: Record<string, string> = {
    "42P01": `The database at ${host} does not have the service's tables yet: npx supabase db push`,
    "28P01": `The database at ${host} does not accept this password`,
    "28000": `The database at ${host} does not accept this user`,
  };
  const other = error.name === "PostgresError"
    ? `The database at ${host} refused this: ${error.message} (${code})`
    : `The database at ${host} could not be asked (${code}). Is it running?`;
  return new CommandError(reasons[code] ?? other);
}
