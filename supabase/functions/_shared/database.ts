import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { ConfigurationError, requiredEnv } from "./configuration.ts";
import type { Database } from "./database.types.ts";
import { ApiError, type ErrorCode, internalError } from "./errors.ts";
import { namedSecretsFromEnv } from "./secrets.ts";

/** The behavior of a call when the database fails or does not respond. */
export interface CallOptions {
  /**
   * How many milliseconds the call is retried after a transient fault. Set it only for idempotent SQL functions: when a
   * response is lost, the first call may have run. A call that has not begun is always retried.
   */
  retryWithin?: number;
  /** The timeout of one attempt in milliseconds. The default is slightly longer than the statement timeout of 8 s. */
  timeout?: number;
  /**
   * Whether a fault for which {@link isCausedByInput} is true ends the call immediately, because the caller splits it.
   */
  canSplit?: boolean;
}

/** The name of an SQL function. */
export type SqlFunction = keyof Database["public"]["Functions"];

/** The arguments of an SQL function by name. Any of them may be null, which the generated types do not express. */
export type SqlArguments<Name extends SqlFunction> = {
  [Argument in keyof Database["public"]["Functions"][Name]["Args"]]: unknown;
};

/** The timeout of client requests that set none, such as an upload of 10 MiB. */
const REQUEST_TIMEOUT_MS = 20_000;

/** How long a call without `retryWithin` retries to connect. */
const CONNECTION_WITHIN_MS = 3_000;

/** The longest pause between two attempts. Without it, the pauses would keep doubling. */
const MAX_PAUSE_MS = 1_000;

/** The SQLSTATEs that our SQL functions raise for the caller, with messages written for the caller. */
const CALLER_ERRORS: Record<string, ErrorCode> = {
  PT400: "BAD_REQUEST",
  PT401: "UNAUTHORIZED",
  PT404: "NOT_FOUND",
  PT409: "CONFLICT",
  PT422: "IDEMPOTENCY_KEY_REUSED",
  PT429: "TOO_MANY_REQUESTS",
};

/**
 * Transient faults that may occur after the call has run: the connection broke (PGRST001, 08) or the server was
 * stopping (57P).
 */
const CONNECTION_LOST = /^(?:PGRST001|57P0[1-3]|08\w{3})$/;

/** Transient faults that occur before the call runs, because there is no connection. */
const NOT_BEGUN = /^(?:PGRST00[023]|53300)$/;

/**
 * Transient faults that undo the call: a deadlock, a serialization failure, a statement timeout (57014) or a lock
 * timeout (55P03).
 */
const UNDONE = /^(?:40001|40P01|57014|55P03)$/;

/** The database refuses the call's input: a data exception, a violated constraint, or one of our exceptions. */
const REFUSED = /^(?:22|23|P0)/;

let client: SupabaseClient<Database> | undefined;

/** Returns the supabase-js client with the rights of the service role, one per isolate. */
export function serviceClient(): SupabaseClient<Database> {
  client ??= createClient<Database>(requiredEnv("SUPABASE_URL"), serviceKey(), {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { fetch: fetchInTime },
  });
  return client;
}

/**
 * Calls an SQL function and returns its result. The generated type of the result is jsonb, so the caller declares the
 * type that the function's comment in supabase/schemas documents.
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

    // The Idempotency-Key may be held by an earlier attempt whose response was lost.
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
 * Returns the error for a fault of the database: with the message that an SQL function raised for the caller, otherwise
 * INTERNAL_ERROR.
 *
 * @param code the SQLSTATE
 * @param details for PT429, the number of seconds to wait
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
 * Returns whether a failed call of {@link callDatabase} may nevertheless have run: one of its attempts got no response.
 * A call that the database refused has not run.
 */
export function mayHaveRun(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof DatabaseError &&
    error.cause.mayHaveRun;
}

/** Returns whether the database refused the input of a {@link callDatabase} call, and would refuse it again. */
export function isRefused(error: unknown): boolean {
  return isUndoneBy(REFUSED, error);
}

/**
 * Returns whether a call of {@link callDatabase} failed because of its input, or because of a lock on a row of it. If
 * the call had several items, a call without that item may succeed.
 */
export function isCausedByInput(error: unknown): boolean {
  return isUndoneBy(REFUSED, error) || isUndoneBy(UNDONE, error);
}

function isUndoneBy(codes: RegExp, error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof DatabaseError &&
    codes.test(error.cause.code) && !error.cause.mayHaveRun;
}

/**
 * Returns whether a failed call may have run. PostgREST returns a code. The code is blank if the connection broke
 * during the commit (status 400) or there was no response (status 0). A response without a code came from the gateway,
 * which refuses a wrong key with 401 or 403.
 */
function isLostResponse(code: string | undefined, status: number): boolean {
  if (code) return CONNECTION_LOST.test(code);
  return code === "" || status < 400 || status >= 500 || status === 408 || status === 429;
}

/** A fault of the database in loggable form: with its SQLSTATE and without its message, which quotes values. */
class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  constructor(readonly code: string, readonly mayHaveRun: boolean) {
    super("the database call failed");
  }
}

// Storage calls accept no signal. Without this timeout, a storage service that hangs would block the vendor forever.
const fetchInTime: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: init?.signal ?? AbortSignal.timeout(REQUEST_TIMEOUT_MS) });

/**
 * Returns the key of the role `service_role`. The newer `SUPABASE_SECRET_KEYS` take precedence, because a hosted
 * project still sets the older JWT after it has been disabled.
 *
 * @throws ConfigurationError if no key is set.
 */
export function serviceKey(): string {
  const key = namedSecretsFromEnv("SUPABASE_SECRET_KEYS")[0] ??
    Deno.env.get("SUPABASE_SERVICE_ROLE_KEY");
  if (key) return key;
  throw new ConfigurationError("neither SUPABASE_SECRET_KEYS nor SUPABASE_SERVICE_ROLE_KEY is set");
}
