import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "./database.types.ts";
import { ApiError, type ErrorCode, internalError } from "./errors.ts";
import { namedSecretsFromEnv } from "./secrets.ts";
import type { SqlArguments, SqlFunction, SqlResults } from "./sql_functions.ts";

/** How a call behaves when the database does not answer. */
export interface CallOptions {
  /**
   * Milliseconds within which the call is tried again after a passing fault. Only for SQL functions that may run twice
   * with the same result, because a lost answer does not tell whether the first call was carried out.
   */
  retryWithin?: number;
  /** Milliseconds that one attempt may take; by default somewhat more than the database's statement timeout of 8 s. */
  timeout?: number;
}

/** Any request of the client without a time limit of its own, an upload of 10 MiB among them. */
const REQUEST_TIMEOUT_MS = 20_000;

/** Attempts are made up to the end of the time there is for them, not just in its first half. */
const MAX_PAUSE_MS = 1_000;

/** SQLSTATEs our SQL functions raise for the caller; the message is written for the caller too. */
const CALLER_ERRORS: Record<string, ErrorCode> = {
  PT400: "BAD_REQUEST",
  PT401: "UNAUTHORIZED",
  PT404: "NOT_FOUND",
};

/**
 * Faults that pass by themselves: PostgREST without its database (PGRST000 to PGRST003), a server starting or stopping
 * (class 57P), too many connections, deadlock, serialization.
 */
const TRANSIENT = /^(?:PGRST00[0-3]|57P0[1-3]|08\w{3}|53300|40001|40P01)$/;

let client: SupabaseClient<Database> | undefined;

/** The service-role client, made once per isolate. */
export function serviceClient(): SupabaseClient<Database> {
  client ??= createClient<Database>(requiredEnv("SUPABASE_URL"), serviceKey(), {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: fetchInTime },
  });
  return client;
}

/**
 * Calls one SQL function and gives what it returns.
 *
 * @throws ApiError with the code and message the function raised for the caller, else INTERNAL_ERROR.
 */
export async function callDatabase<Name extends SqlFunction>(
  name: Name,
  args: SqlArguments<Name>,
  { retryWithin = 0, timeout = 9_000 }: CallOptions = {},
): Promise<SqlResults[Name]> {
  const deadline = Date.now() + retryWithin;
  let lost = false;
  for (let pause = 100;; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const patience = retryWithin > 0 ? Math.max(deadline - Date.now(), 1) : timeout;
    const { data, error, status } = await serviceClient()
      .rpc(name, args as never)
      .abortSignal(AbortSignal.timeout(Math.min(patience, timeout)));
    if (error === null) return data as unknown as SqlResults[Name];

    const isTransient = error.code ? TRANSIENT.test(error.code) : isTransientStatus(status);
    lost ||= isTransient;
    const cause = new DatabaseError(error.code || `HTTP ${status}`, lost);
    const code = CALLER_ERRORS[error.code];
    if (code !== undefined) throw new ApiError(code, error.message, { cause });
    if (!isTransient || Date.now() + pause >= deadline) throw internalError(cause);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * Whether a failed {@link callDatabase} may have been carried out all the same, since the answer of one of its attempts
 * was lost or never came. What the database refuses leaves nothing behind.
 */
export function mayHaveRun(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof DatabaseError &&
    error.cause.mayHaveRun;
}

/**
 * Whether a response without an error code passes by itself. PostgREST always gives a code; without one there was no
 * response (status 0) or it came from the gateway, which refuses a wrong key with 401 or 403 however often it is asked.
 */
function isTransientStatus(status: number): boolean {
  return status < 400 || status >= 500 || status === 408 || status === 429;
}

/** What the log may know of a database fault: its SQLSTATE, not the message, which quotes values. */
class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  constructor(readonly code: string, readonly mayHaveRun: boolean) {
    super("the database call failed");
  }
}

// Storage calls take no signal of their own, and a service that hangs must not hang the vendor.
const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

/**
 * The key that stands for the role `service_role`: the newer `SUPABASE_SECRET_KEYS` first, because a hosted project goes
 * on setting the older JWT after it has been switched off.
 *
 * @throws ConfigurationError when there is none.
 */
export function serviceKey(): string {
  const key = namedSecretsFromEnv("SUPABASE_SECRET_KEYS")[0] ??
    Deno.env.get("SUPABASE_SERVICE_ROLE_KEY");
  if (key) return key;
  throw new ConfigurationError("neither SUPABASE_SECRET_KEYS nor SUPABASE_SERVICE_ROLE_KEY is set");
}

function requiredEnv(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new ConfigurationError(`${name} is not set`);
  return value;
}

/** A variable of the environment is missing. Its message may be logged, for it quotes no value. */
class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  /** The log shows an error's code and never its message. */
  readonly code = this.message;
}
