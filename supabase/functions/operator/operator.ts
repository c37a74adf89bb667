import { createClient } from "@supabase/supabase-js";
import { ConfigurationError, requiredEnv } from "../_shared/configuration.ts";
import { databaseError } from "../_shared/database.ts";
import type { Database } from "../_shared/database.types.ts";
import { ApiError } from "../_shared/errors.ts";
import type { Json } from "../_shared/json.ts";
import { bearerToken, namedSecretsFromEnv } from "../_shared/secrets.ts";
import { KIB } from "../_shared/units.ts";

/** What is kept of what operators do, in operator_actions. */
export type Action = "read_payload" | "preview_replay" | "replay" | "hand_out";

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
  await begin(request, "list", {});
}

/**
 * Keeps what an operator is about to do. Called before it is done, so that nobody reads what is not known later.
 *
 * @throws ApiError as requireOperator() does.
 */
export async function recordAction(request: Request, action: Action, subject: Record<string, Json>): Promise<void> {
  await begin(request, action, subject);
}

async function begin(request: Request, action: Action | "list", subject: Record<string, Json>): Promise<void> {
  const token = bearerToken(request);
  if (token === undefined || token.length > LONGEST_TOKEN || !TOKEN.test(token)) throw unauthorized();
  const { error, status } = await clientOf(token)
    .rpc("begin_operator_action", { action, subject })
    .abortSignal(AbortSignal.timeout(TIMEOUT_MS));
  if (error === null) return;
  // Without a code it is the gateway that responds, and about our own key.
  if (status === 401 && error.code) throw unauthorized();
  if (error.code === "42501") throw new ApiError("FORBIDDEN", "only an operator may do this");
  throw databaseError(error.code || `HTTP ${status}`, error.message);
}

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

function unauthorized(): ApiError {
  return new ApiError("UNAUTHORIZED", "send the token of a signed-in user as `Authorization: Bearer`", {
    headers: { "WWW-Authenticate": 'Bearer realm="operator"' },
  });
}
