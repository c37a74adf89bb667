import { isAuthRetryableFetchError } from "@supabase/supabase-js";
import { serviceClient } from "../_shared/database.ts";
import { ApiError, internalError } from "../_shared/errors.ts";
import { bearerToken, matchesSecret, namedSecretsFromEnv } from "../_shared/secrets.ts";

/**
 * Requires one of the project's API keys, in `apikey`, `Authorization: Bearer` or `?apikey=`, or a signed-in user's
 * token in `Authorization: Bearer`. One valid credential is sufficient: a pop-out whose token has expired still has the
 * key.
 *
 * @throws ApiError UNAUTHORIZED without a valid credential; INTERNAL_ERROR if the token cannot be verified.
 */
export async function requireProjectCredentials(request: Request): Promise<void> {
  const bearer = bearerToken(request);
  const keys = [
    request.headers.get("apikey"),
    bearer,
    // sendBeacon cannot set headers.
    new URL(request.url).searchParams.get("apikey"),
  ];
  const valid = projectKeys();
  if (keys.some((key) => key && matchesSecret(key, valid))) return;
  if (bearer && await isUserToken(bearer)) return;
  throw new ApiError("UNAUTHORIZED", "send the project's anon or publishable key as `apikey`", {
    headers: { "WWW-Authenticate": 'Bearer realm="api"' },
  });
}

// Includes the secret keys. They have more rights, so refusing them here would only surprise their owner.
function projectKeys(): string[] {
  return [
    Deno.env.get("SUPABASE_ANON_KEY"),
    Deno.env.get("SUPABASE_PUBLISHABLE_KEY"),
    ...namedSecretsFromEnv("SUPABASE_PUBLISHABLE_KEYS"),
    Deno.env.get("SUPABASE_SERVICE_ROLE_KEY"),
    Deno.env.get("SUPABASE_SECRET_KEY"),
    ...namedSecretsFromEnv("SUPABASE_SECRET_KEYS"),
  ].filter((key) => key !== undefined && key !== "") as string[];
}

// Queries the auth server instead of checking the signature here. The token of a user who has signed out or was removed
// therefore stops working immediately, and the algorithm with which the project signs its tokens does not matter.
async function isUserToken(token: string): Promise<boolean> {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return false;
  const { error } = await serviceClient().auth.getUser(token);
  if (isAuthRetryableFetchError(error) || error?.status === 429) throw internalError(error);
  return error === null;
}
