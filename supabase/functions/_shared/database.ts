import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { ConfigurationError, requiredEnv } from "./configuration.ts";
import type { Database } from "./database.types.ts";
import { ApiError, type ErrorCode, internalError } from "./errors.ts";
import { namedSecretsFromEnv } from "./secrets.ts";

/** The behaviour of a call when the database fails or does not respond. */
export interface CallOptions {
  /**
   * For how many milliseconds the call is retried after a passing fault. Only for SQL functions that may run twice with
   * the same result: when a response is lost, the first call may have run. Any call is retried that has not begun.
   */
  retryWithin?: number;
  /** The milliseconds that one attempt may take. The default is a little more than the statement timeout of 8 s. */
  timeout?: number;
  /** Whether a fault that {@link isCausedByInput} ends the call at once, because the caller then splits it. */
  canSplit?: boolean;
}

/** The name of an SQL function. */
export type SqlFunction = keyof Database["public"]["Functions"];

/** The arguments of an SQL function by name. Any may be null, which the generated types do not say. */
export type SqlArguments<Name extends SqlFunction> = {
  [Argument in keyof Database["public"]["Functions"][Name]["Args"]]: unknown;
};

/** For requests of the client that set no time limit themselves, such as an upload of 10 MiB. */
const REQUEST_TIMEOUT_MS = 20_000;

/** For how long a call without `retryWithin` waits for a connection where there is none. */
const CONNECTION_WITHIN_MS = 3_000;

/** The longest pause between two attempts. Without it the pauses would double, and attempts would soon become rare. */
const MAX_PAUSE_MS = 1_000;

/** The SQLSTATEs that our SQL functions raise for the caller. Their messages are written for the caller, too. */
const CALLER_ERRORS: Record<string, ErrorCode> = {
  PT400: "BAD_REQUEST",
  PT401: "UNAUTHORIZED",
  PT404: "NOT_FOUND",
  PT409: "CONFLICT",
  PT422: "IDEMPOTENCY_KEY_REUSED",
  PT429: "TOO_MANY_REQUESTS",
};

/**
 * Faults that pass by themselves and may have come when the call had already run: the connection broke (PGRST001, 08)
 * or the server was stopping (57P).
 */
const CONNECTION_LOST = /^(?:PGRST001|57P0[1-3]|08\w{3})$/;

/** Faults that pass by themselves, before the call has run: there is no connection for it. */
const NOT_BEGUN = /^(?:PGRST00[023]|53300)$/;

/**
 * Faults that pass by themselves and undo the call: a deadlock, a serialization failure, or a timeout of the statement
 * (57014) or of a lock (55P03).
 */
const UNDONE = /^(?:40001|40P01|57014|55P03)$/;

/** The database refuses what the call brought: a data exception, a violated constraint, or one of our exceptions. */
const REFUSED = /^(?:22|23|P0)/;

let client: SupabaseClient<Database> | undefined;

/** The supabase-js client with the rights of the service role, made once in each isolate. */
export function serviceClient(): SupabaseClient<Database> {
  client ??= createClient<Database>(requiredEnv("SUPABASE_URL"), serviceKey(), {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: fetchInTime },
  });
  return client;
}

/**
 * Calls one SQL function and returns its result. Postgres only knows that the result is jsonb, so the caller says of
 * which type it is, as the function's comment in supabase/schemas does.
 *
 * @example
 * const { retry_after }: { retry_after: number | null } = await callDatabase("count_request", { … });
 * @throws ApiError with the code and message that the function raised for the caller; INTERNAL_ERROR for any other
 * fault.
 */
export async function callDatabase<Name extends SqlFunction, Result>(
  name: Name,
  args: SqlArguments<Name>,
  { retryWithin = 0, timeout = 9_000, canSplit = false }: CallOptions = {},
): Promise<Result> {
  const deadline = Date.now() + (retryWithin || Math.min(timeout, CONNECTION_WITHIN_MS));
  let lost = false;
  for (let pause = 100;; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    const patience = retryWithin > 0 ? Math.max(deadline - Date.now(), 1) : timeout;
    const { data, error, status } = await serviceClient()
      .rpc(name, args as never)
      .abortSignal(AbortSignal.timeout(Math.min(patience, timeout)));
    if (error === null) return data as Result;

    // The holder of the same Idempotency-Key may be an earlier attempt that got no response.
    const isOwnAttempt: boolean = lost && error.code === "PT409";
    const isLost = isLostResponse(error.code, status);
    lost ||= isLost;
    const isUndone = UNDONE.test(error.code) && (lost || !canSplit);
    const isTransient = NOT_BEGUN.test(error.code) ||
      retryWithin > 0 && (isLost || isOwnAttempt || isUndone);
    if (!isTransient || Date.now() + pause >= deadline) {
      const { message, details } = error;
      const fault = databaseError(error.code || `HTTP ${status}`, message, details, lost);
      throw isOwnAttempt ? internalError(fault.cause) : fault;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * The error for a fault of the database: with the message that an SQL function has raised for the caller, else
 * INTERNAL_ERROR.
 *
 * @param code the SQLSTATE
 * @param details of PT429: the time to wait, in seconds
 */
export function databaseError(
  code: string,
  message: string,
  details = "",
  mayHaveRun = false,
): ApiError {
  const cause = new DatabaseError(code, mayHaveRun);
  const forCaller = CALLER_ERRORS[code];
  if (forCaller === undefined) return internalError(cause);
  const headers = forCaller === "TOO_MANY_REQUESTS" ? { "Retry-After": details } : undefined;
  return new ApiError(forCaller, message, { headers, cause });
}

/**
 * Whether a call of {@link callDatabase} that failed may have run in the database anyway. That is so when one of
 * its attempts got no response. What the database refuses has not run.
 */
export function mayHaveRun(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof DatabaseError &&
    error.cause.mayHaveRun;
}

/** Whether the database has refused what a call of {@link callDatabase} brought, and would do so again. */
export function isRefused(error: unknown): boolean {
  return isUndoneBy(REFUSED, error);
}

/**
 * Whether a call of {@link callDatabase} failed by something that it brought, or that somebody has locked. If it
 * brought several things, a call without that one may succeed.
 */
export function isCausedByInput(error: unknown): boolean {
  return isUndoneBy(REFUSED, error) || isUndoneBy(UNDONE, error);
}

function isUndoneBy(codes: RegExp, error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof DatabaseError &&
    codes.test(error.cause.code) && !error.cause.mayHaveRun;
}

/**
 * Whether a call may have run although it failed. PostgREST gives a code. It is blank when the connection broke while
 * the call was committed, and then the status is 400. It is blank too when there was no response (status 0). Without a
 * code the response came from the gateway, which refuses a wrong key with 401 or 403 every time.
 */
function isLostResponse(code: string | undefined, status: number): boolean {
  if (code) return CONNECTION_LOST.test(code);
  return code === "" || status < 400 || status >= 500 || status === 408 || status === 429;
}

/** A fault of the database as it may be logged: with its SQLSTATE and without its message, which quotes values. */
class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  constructor(readonly code: string, readonly mayHaveRun: boolean) {
    super("the database call failed");
  }
}

// Storage calls take no signal. Without this limit a storage service that hangs would let the vendor wait forever.
const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

/**
 * The key of the role `service_role`. The newer `SUPABASE_SECRET_KEYS` come first, because a hosted project still sets
 * the older JWT after it has been switched off.
 *
 * @throws ConfigurationError when there is none.
 */
export function serviceKey(): string {
  const key = namedSecretsFromEnv("SUPABASE_SECRET_KEYS")[0] ??
    Deno.env.get("SUPABASE_SERVICE_ROLE_KEY");
  if (key) return key;
  throw new ConfigurationError("neither SUPABASE_SECRET_KEYS nor SUPABASE_SERVICE_ROLE_KEY is set");
}
