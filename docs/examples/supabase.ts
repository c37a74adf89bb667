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
