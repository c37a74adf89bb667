import { createClient } from "@supabase/supabase-js";
import type { Database } from "../../supabase/functions/_shared/database.types.ts";
import { config } from "./config.ts";

/** Has the rights of the user who is signed in. The browser keeps the session. */
export const supabase = createClient<Database>(config.url, config.publishableKey);

/** Signs in and returns the agent. Throws when the password is wrong or the user is no active agent. */
export async function signIn(email: string, password: string) {
  const { error } = await supabase.auth.signInWithPassword({ email, password });
  if (error !== null) throw error;
  const agent = await signedInAgent();
  if (agent === null) throw new Error("This user is no active agent.");
  return agent;
}

/** The agent who is signed in, or null. */
export async function signedInAgent() {
  const { data: { session } } = await supabase.auth.getSession();
  if (session === null) return null;
  const { data } = await supabase.from("agents")
    .select("id, agency_id, first_name, last_name, role")
    .eq("user_id", session.user.id)
    .maybeSingle()
    .throwOnError();
  return data;
}

/** Signs this browser out. Those of the agent's other machines stay signed in. */
export async function signOut(): Promise<void> {
  const { error } = await supabase.auth.signOut({ scope: "local" });
  if (error !== null) throw error;
}

/**
 * Sends a link to password.html, if the address has a login. Nothing tells whether it has. Each link works once, and
 * only the latest.
 */
export async function sendPasswordLink(email: string): Promise<void> {
  const redirectTo = new URL("password.html", location.href).href;
  const { error } = await supabase.auth.resetPasswordForEmail(email, { redirectTo });
  if (error !== null) throw error;
}

/** Sets the password of whoever is signed in, and signs out whoever was signed in with an earlier one. */
export async function setPassword(password: string): Promise<void> {
  const { error } = await supabase.auth.updateUser({ password });
  if (error !== null) throw error;
  await supabase.auth.signOut({ scope: "others" });
}

/**
 * Signs in by the link that has opened the page: its session stands behind the `#` of the address, or why there is
 * none.
 *
 * @returns null when the page was opened without a link, and nobody is signed in
 * @throws {AuthError} when the link was used before, or is over
 */
export async function signInByLink() {
  const { error } = await supabase.auth.initialize();
  if (error !== null) throw error;
  const { data: { session } } = await supabase.auth.getSession();
  return session?.user ?? null;
}
