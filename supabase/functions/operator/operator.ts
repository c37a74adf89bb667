import { createClient, type PostgrestSingleResponse } from "@supabase/supabase-js";
import { ConfigurationError, requiredEnv } from "../_shared/configuration.ts";
import { databaseError } from "../_shared/database.ts";
import type { Database } from "../_shared/database.types.ts";
import { ApiError } from "../_shared/errors.ts";
import type { JsonObject } from "../_shared/json.ts";
import { bearerToken, namedSecretsFromEnv } from "../_shared/secrets.ts";
import { KIB } from "../_shared/units.ts";

const TIMEOUT_MS = 9_000;

/** A longer text is no token of a user, and the API of the database takes no header of such a length. */
const LONGEST_TOKEN = 8 * KIB;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Requires that an operator is signed in, by the user's own token in `Authorization: Bearer`. The database checks the
 * token, and whose it is.
 *
 * @throws ApiError UNAUTHORIZED without a valid token of a user; FORBIDDEN when the user is no operator.
 */
export async function requireOperator(request: Request): Promise<void> {
  const user = await call(request, (client) => client.rpc("signed_in_user"));
  if (!(user as { is_operator: boolean }).is_operator) throw forbidden();
}

/**
 * Stores a row of `operator_actions`. Called before the action, so that none is without its row.
 *
 * @param subject what the comment on that column says of the action
 * @throws ApiError as requireOperator() does.
 */
export async function beginAction(
  request: Request,
  action: "delivery replay" | "mapping save",
  subject: JsonObject,
): Promise<void> {
  await call(request, (client) => client.rpc("begin_operator_action", { action, subject }));
}

/** A payload on which a mapping is tried, as read_sample() returns it. */
export type Sample =
  | { kind: "delivery"; route: string; row: number | null; payload: string }
  | { kind: "lead"; first_name: string; vendor_lead_id: string | null; metadata: string };

/**
 * Reads the payload that an operator has opened beside a mapping.
 *
 * @param action_id what begin_operator_action() has returned to the page
 * @throws ApiError as requireOperator() does; NOT_FOUND where the user has not opened it, or it is not kept any more.
 */
export async function readSample(request: Request, action_id: string): Promise<Sample> {
  return await call(request, (client) => client.rpc("read_sample", { action_id })) as Sample;
}

/** Calls the database with the rights of the user whose token the request has. */
async function call(
  request: Request,
  rpc: (client: UserClient) => { abortSignal(signal: AbortSignal): PromiseLike<PostgrestSingleResponse<unknown>> },
): Promise<unknown> {
  const token = bearerToken(request);
  if (token === undefined || token.length > LONGEST_TOKEN || !TOKEN.test(token)) throw unauthorized();
  const { data, error, status } = await rpc(clientOf(token)).abortSignal(AbortSignal.timeout(TIMEOUT_MS));
  if (error === null) return data;
  // Without a code it is the gateway that responds, and about our own key.
  if (status === 401 && error.code) throw unauthorized();
  if (error.code === "42501") throw forbidden();
  throw databaseError(error.code || `HTTP ${status}`, error.message);
}

type UserClient = ReturnType<typeof clientOf>;

/** A client with the rights of the user whose token it is. */
function clientOf(token: string) {
  return createClient<Database>(requiredEnv("SUPABASE_URL"), publicKey(), {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { headers: { Authorization: `Bearer ${token}` } },
  });
}

/** The key with which browsers reach the project. */
function publicKey(): string {
  const key = namedSecretsFromEnv("SUPABASE_PUBLISHABLE_KEYS")[0] ?? Deno.env.get("SUPABASE_ANON_KEY");
  if (key) return key;
  throw new ConfigurationError("neither SUPABASE_PUBLISHABLE_KEYS nor SUPABASE_ANON_KEY is set");
}

function forbidden(): ApiError {
  return new ApiError("FORBIDDEN", "only an operator may do this");
}

function unauthorized(): ApiError {
  return new ApiError("UNAUTHORIZED", "send the token of a signed-in user as `Authorization: Bearer`", {
    headers: { "WWW-Authenticate": 'Bearer realm="operator"' },
  });
}
