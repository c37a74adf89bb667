import type { SupabaseClient } from "@supabase/supabase-js";

type AuthAdmin = SupabaseClient["auth"]["admin"];

/** A login that waits until its invitation is used. */
export interface WaitingUser {
  id: string;
  email: string;
}

/**
 * Makes the login of an invited agent, or gives the one that waits the agent's address, which may have been corrected.
 * `invited_agent_id`, which only a secret key can write, tells it from a login that somebody else has made.
 *
 * @param waiting the login of an earlier invitation
 * @returns the id of the login
 * @throws AuthError
 */
export async function prepareUser(
  auth: AuthAdmin,
  waiting: WaitingUser | undefined,
  invited_agent_id: string,
  email: string,
): Promise<string> {
  if (waiting?.email.toLowerCase() === email.toLowerCase()) return waiting.id;
  const { data, error } = waiting === undefined
    ? await auth.createUser({ email, app_metadata: { invited_agent_id } })
    : await auth.updateUserById(waiting.id, { email });
  if (error !== null) throw error;
  return data.user.id;
}

/**
 * Has the auth service send the e-mail, each time anew until its link has been used.
 *
 * @param redirectTo the page that the link leads to; undefined: the project's site URL
 * @throws AuthError
 */
export async function sendInvitation(auth: AuthAdmin, email: string, redirectTo?: string): Promise<void> {
  const { error } = await auth.inviteUserByEmail(email, { redirectTo });
  if (error !== null) throw error;
}
