import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";

/** The project's `sb_publishable_…` and `sb_secret_…` key, each with the JWT of the role that it stands for. */
export type ProjectKeys = [key: string, jwt: string][];

/**
 * What `Authorization` must be for the parts behind the gateway, which know JWTs alone: a user's token stays, and else
 * the key in `apikey` decides.
 *
 * @param queryKey the value of `?apikey=`, for clients that cannot set headers
 * @returns null when it may stay as it is
 */
export function authorizationFor(
  headers: Headers,
  keys: ProjectKeys,
  queryKey: string | null = null,
): string | null {
  const authorization = headers.get("authorization");
  // supabase-js sends the key here too, while nobody is signed in.
  if (authorization !== null && !/^bearer sb_/i.test(authorization)) return null;
  const apikey = authorization?.slice("bearer ".length) ?? headers.get("apikey") ?? queryKey;
  if (apikey === null) return null;
  for (const [key, jwt] of keys) {
    if (isSame(apikey, key)) return `Bearer ${jwt}`;
  }
  // A legacy key is a JWT itself; anything else is for the part behind to refuse.
  return `Bearer ${apikey}`;
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
