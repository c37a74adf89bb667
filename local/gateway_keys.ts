import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";

/** The project's API keys, of both kinds. */
export interface ProjectKeys {
  /** JWTs by the `sb_…` key that stands for them. */
  jwtOf: [opaque: string, jwt: string][];
}

/**
 * The headers as the parts behind the gateway understand them: an `sb_publishable_…` or `sb_secret_…` key becomes its
 * role's JWT in `Authorization`, unless a user's token stands there, and headers about the connection are dropped.
 *
 * @param queryKey the value of `?apikey=`, for clients that cannot set headers
 */
export function upstreamHeaders(
  received: Headers,
  keys: ProjectKeys,
  queryKey: string | null = null,
): Headers {
  const headers = new Headers(received);
  for (const name of HOP_BY_HOP) headers.delete(name);
  // What comes back is passed on as it is; a compressed body would have been unpacked on the way.
  headers.set("accept-encoding", "identity");

  const authorization = received.get("authorization");
  const isOpaque = authorization === null || /^bearer sb_/i.test(authorization);
  if (!isOpaque) return headers;
  const apikey = authorization?.slice("bearer ".length) ?? received.get("apikey") ?? queryKey;
  const jwt = apikey === null ? null : jwtFor(apikey, keys);
  if (jwt) headers.set("authorization", `Bearer ${jwt}`);
  return headers;
}

const HOP_BY_HOP = [
  "host",
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "content-length",
];

function jwtFor(apikey: string, keys: ProjectKeys): string {
  for (const [opaque, jwt] of keys.jwtOf) {
    if (isSame(apikey, opaque)) return jwt;
  }
  // A legacy key is a JWT itself, and whatever else it is, the part behind refuses it.
  return apikey;
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
}
