import type { EmailOtpType } from "@supabase/supabase-js";

/** What the link of an e-mail has brought, if the page was opened by one. */
export type Link =
  | { kind: "token"; type: EmailOtpType; token_hash: string }
  /** The auth service has checked the link itself, and the client finds the session in the address. */
  | { kind: "session"; type: string }
  | { kind: "failed" };

/**
 * Reads the address: `#/password?token_hash=…&type=invite|recovery`, as an e-mail of the project's own template has it,
 * or `#access_token=…&type=…` and `#error=…`, to which the auth service redirects.
 */
export function readLink(): Link | null {
  const hash = location.hash.slice(1);
  const parameters = new URLSearchParams(hash.slice(hash.indexOf("?") + 1));
  const type = parameters.get("type") ?? "";
  const token_hash = parameters.get("token_hash");
  if (token_hash !== null && (type === "invite" || type === "recovery")) {
    // A token in the history would be a password.
    history.replaceState(null, "", "#/password");
    return { kind: "token", type, token_hash };
  }
  if (parameters.has("error_code")) {
    history.replaceState(null, "", "#/password");
    return { kind: "failed" };
  }
  return parameters.has("access_token") ? { kind: "session", type } : null;
}
