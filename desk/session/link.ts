/** What the link of an e-mail has brought, if the page was opened by one. */
export type Link =
  | { kind: "token"; type: "invite" | "recovery"; token_hash: string }
  /** The auth service has checked the link itself, and the client finds the session in the address. */
  | { kind: "session" }
  | { kind: "failed" };

/**
 * Reads the address: `#/password?token_hash=…&type=invite|recovery`, as an e-mail of the project's own template has it,
 * or `#access_token=…&type=…` and `#error=…`, to which the auth service redirects.
 */
export function readLink(): Link | null {
  const hash = location.hash.slice(1);
  const parameters = new URLSearchParams(hash.slice(hash.indexOf("?") + 1));
  const type = parameters.get("type");
  const token_hash = parameters.get("token_hash");
  if (token_hash !== null && (type === "invite" || type === "recovery")) {
    // A token in the history would be a password.
    history.replaceState(null, "", "#/password");
    return { kind: "token", type, token_hash };
  }
  if (parameters.has("error")) {
    history.replaceState(null, "", "#/");
    return { kind: "failed" };
  }
  // The client takes this one out of the address.
  return parameters.has("access_token") && (type === "invite" || type === "recovery") ? { kind: "session" } : null;
}
