/** The project's `sb_publishable_…` and `sb_secret_…` keys, each with the JWT of its role. */
export type ProjectKeys = [key: string, jwt: string][];

/**
 * The `Authorization` header for the services behind the gateway, which know only JWTs. The token of a signed-in user
 * stays; otherwise the key in `apikey` counts.
 *
 * @param queryKey the value of `?apikey=`, for clients that cannot set headers
 * @returns null when the header can stay as it is
 */
export function authorizationFor(
  headers: Headers,
  keys: ProjectKeys,
  queryKey: string | null = null,
): string | null {
  const authorization = headers.get("authorization");
  // While nobody is signed in, supabase-js sends the key in this header as well.
  if (authorization !== null && !/^bearer sb_/i.test(authorization)) return null;
  const apikey = authorization?.slice("bearer ".length) ?? headers.get("apikey") ?? queryKey;
  if (apikey === null) return null;
  for (const [key, jwt] of keys) {
    if (apikey === key) return `Bearer ${jwt}`;
  }
  // A legacy key is a JWT already. The service refuses anything else.
  return `Bearer ${apikey}`;
}
