import { createClient, type PostgrestSingleResponse } from "@supabase/supabase-js";
import { ConfigurationError, requiredEnv } from "../_shared/configuration.ts";
import { databaseError } from "../_shared/database.ts";
import type { Database } from "../_shared/database.types.ts";
import { ApiError } from "../_shared/errors.ts";
import type { JsonObject } from "../_shared/json.ts";
import { bearerToken, namedSecretsFromEnv } from "../_shared/secrets.ts";
import { KIB } from "../_shared/units.ts";

const TIMEOUT_MS = 9_000;

/** A longer text is not a user's token, and the database's API refuses headers of this length. */
const LONGEST_TOKEN = 8 * KIB;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Requires that an operator is signed in, with the user's own token in `Authorization: Bearer`. The database verifies
 * the token and the user.
 *
 * @throws ApiError UNAUTHORIZED without a valid user token; FORBIDDEN if the user is not an operator.
 */
export async function requireOperator(request: Request): Promise<void> {
  const user = await call(request, (client) => client.rpc("signed_in_user"));
  if (!(user as { is_operator: boolean }).is_operator) throw forbidden();
}

/**
 * Stores a row of `operator_actions`. Called before the action, so that every action has its row.
 *
 * @param subject as the comment on that column defines it for the action
 * @throws ApiError for the same reasons as requireOperator().
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
 * @param action_id the id that begin_operator_action() returned to the page
 * @throws ApiError for the same reasons as requireOperator(); NOT_FOUND if the user has not opened the payload, or it
 * is no longer stored.
 */
export async function readSample(request: Request, action_id: string): Promise<Sample> {
  return await call(request, (client) => client.rpc("read_sample", { action_id })) as Sample;
}

/** An invitation as invite_agent() has it: checked, and its agent stored once there is a user_id. */
export interface Invitation {
  agent_id: string;
  email: string;
  /** The login of an earlier invitation that waits. */
  user_id: string | null;
  user_email: string | null;
}

/**
 * Checks an invitation with the rights of a manager or an operator; with a user_id stores its agent.
 *
 * @throws ApiError UNAUTHORIZED, FORBIDDEN, BAD_REQUEST, NOT_FOUND or CONFLICT, as invite_agent() says.
 */
export async function inviteAgent(
  request: Request,
  given: { agency_id: string | null; person: JsonObject; user_id?: string },
): Promise<Invitation> {
  return await call(request, (client) => client.rpc("invite_agent", given as never)) as Invitation;
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
  // A response without a code comes from the gateway and concerns our own key.
  if (status === 401 && error.code) throw unauthorized();
  if (error.code === "42501") throw forbidden(error.message);
  if (error.code === "22023") {
    const [, field = "", message] = /^(?:(\w+): )?([^]*)$/.exec(error.message)!;
    throw new ApiError("BAD_REQUEST", error.message, { details: [{ field, message: message! }] });
  }
  if (status === 429) throw new ApiError("TOO_MANY_REQUESTS", error.message, { headers: { "Retry-After": "1" } });
  throw databaseError(error.code || `HTTP ${status}`, error.message);
}

type UserClient = ReturnType<typeof clientOf>;

/** Returns a client with the rights of the token's user. */
function clientOf(token: string) {
  return createClient<Database>(requiredEnv("SUPABASE_URL"), publicKey(), {
    auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    global: { headers: { Authorization: `Bearer ${token}` } },
  });
}

/** Returns the key with which browsers access the project. */
function publicKey(): string {
  const key = namedSecretsFromEnv("SUPABASE_PUBLISHABLE_KEYS")[0] ?? Deno.env.get("SUPABASE_ANON_KEY");
  if (key) return key;
  throw new ConfigurationError("neither SUPABASE_PUBLISHABLE_KEYS nor SUPABASE_ANON_KEY is set");
}

/** @param said by one of our functions, or by Postgres, whose words are not for callers */
function forbidden(said = ""): ApiError {
  return new ApiError("FORBIDDEN", said.startsWith("only ") ? said : "only an operator may do this");
}

function unauthorized(): ApiError {
  return new ApiError("UNAUTHORIZED", "send the token of a signed-in user as `Authorization: Bearer`", {
    headers: { "WWW-Authenticate": 'Bearer realm="desk"' },
  });
}
