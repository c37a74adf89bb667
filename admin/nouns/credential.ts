/** What a vendor proves itself with: an API key, or a secret of its webhook. */
import type { Outcome, Session } from "../session.ts";

export interface Credential {
  id: string;
  label: string | null;
  state: "works" | "expired" | "revoked";
}

/** What tells a credential from others. */
export function describeCredential({ label, state }: Credential): string {
  return label === null ? state : `${label}, ${state}`;
}

/**
 * Revokes a credential, unless that was done before. Goes on in a script without `--yes`: what has leaked must not wait
 * for anybody.
 *
 * @param shown what it is called
 */
export async function revokeOnce(
  { confirm }: Session,
  slug: string,
  { state }: Credential,
  shown: string,
  revoke: () => Promise<unknown>,
): Promise<Pick<Outcome, "text"> & { revoked: boolean }> {
  if (state === "revoked") return { revoked: false, text: `${shown} was revoked before` };
  await confirm(`Revoke ${shown} of ${slug} for good?`, { unattended: true });
  await revoke();
  return { revoked: true, text: `Revoked ${shown}, which stops at once` };
}
