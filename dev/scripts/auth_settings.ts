/** The remedy where {@link assertSignUpClosed} fails. */
export const CLOSE_SIGN_UP =
  'In the project\'s dashboard (Authentication, Sign In / Providers) switch "Allow new users to sign up" off and "Confirm ' +
  'email" on. Leave the provider "Email" on: agents sign in by it.';

/**
 * Asks the auth service of a project, which tells everybody how it is set, whether only those get a login who are
 * invited.
 *
 * @param projectUrl as in https://<ref>.supabase.co
 * @param key a publishable key of the project, or its anon key
 * @throws {Error} saying what is open, or that it could not be asked
 */
export async function assertSignUpClosed(projectUrl: string, key: string): Promise<void> {
  const response = await fetch(new URL("/auth/v1/settings", projectUrl), {
    headers: { apikey: key },
    signal: AbortSignal.timeout(15_000),
  });
  if (!response.ok) {
    const text = (await response.text()).slice(0, 300);
    throw new Error(`GET /auth/v1/settings: HTTP ${response.status} ${text}`);
  }
  const { disable_signup, mailer_autoconfirm, external } = await response.json();
  if (disable_signup !== true) throw new Error("anybody can sign up");
  if (mailer_autoconfirm !== false) {
    throw new Error("an address counts as confirmed although nobody has opened a link in its mailbox");
  }
  if (external?.email !== true) throw new Error("nobody can sign in by e-mail");
}
