/** The content of an e-mail's link, if the page was opened by one. */
export type Link =
  | { kind: "token"; type: "invite" | "recovery"; token_hash: string }
  /** The auth service has checked the link itself, and has made a session. */
  | { kind: "session"; type: string | null; access_token: string; refresh_token: string }
  | { kind: "failed" };

/**
 * Reads the address: `#/password?token_hash=…&type=invite|recovery`, as an e-mail of the project's own template has it,
 * or `#access_token=…&type=…` and `#error=…`, to which the auth service redirects. Takes it out of the address: a token
 * in the history would be a password.
 */
export function readLink(): Link | null {
  const hash = location.hash.slice(1);
  const parameters = new URLSearchParams(hash.slice(hash.indexOf("?") + 1));
  const type = parameters.get("type");
  const [token_hash, access_token, refresh_token] = ["token_hash", "access_token", "refresh_token"]
    .map((name) => parameters.get(name) ?? "");
  if (!token_hash && !access_token && !parameters.has("error")) return null;
  history.replaceState(null, "", "#/");
  if (access_token && refresh_token) return { kind: "session", type, access_token, refresh_token };
  return token_hash && (type === "invite" || type === "recovery")
    ? { kind: "token", type, token_hash }
    : { kind: "failed" };
}
