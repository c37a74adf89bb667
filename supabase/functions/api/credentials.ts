import { isAuthRetryableFetchError } from "@supabase/supabase-js";
import { bearerToken } from "../_shared/bearer.ts";
import { serviceClient } from "../_shared/database.ts";
import { ApiError, internalError } from "../_shared/errors.ts";
import { matchesSecret, namedSecretsFromEnv } from "../_shared/secrets.ts";

/**
 * Lets a caller pass who shows one of the project's own keys, in `apikey`, `Authorization: Bearer` or `?apikey=`, or the
 * token of a signed-in user as Bearer. One of them is enough: a pop-out whose user's token has expired still has the key.
 *
 * @throws ApiError UNAUTHORIZED, or INTERNAL_ERROR when a token cannot be checked.
 */
export async function requireProjectCredentials(request: Request): Promise<void> {
  const bearer = bearerToken(request);
  const shown = [
    request.headers.get("apikey"),
    bearer,
    // sendBeacon cannot set headers.
    new URL(request.url).searchParams.get("apikey"),
  ];
  const keys = projectKeys();
  if (shown.some((key) => key && matchesSecret(key, keys))) return;
  if (bearer && await isUserToken(bearer)) return;
  throw new ApiError("UNAUTHORIZED", "show the project's anon or publishable key as `apikey`", {
    headers: { "WWW-Authenticate": 'Bearer realm="api"' },
  });
}

// The secret keys may do far more, so refusing them here would only surprise.
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

// The auth server is asked rather than the signature checked here, so that a token of a user who has signed out or been
// removed stops at once, whatever way the project signs them.
async function isUserToken(token: string): Promise<boolean> {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return false;
  const { error } = await serviceClient().auth.getUser(token);
  if (isAuthRetryableFetchError(error) || error?.status === 429) throw internalError(error);
  return error === null;
}
