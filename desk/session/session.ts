import type { Session } from "@supabase/supabase-js";
import { useSyncExternalStore } from "react";
import { supabase } from "../data/client.ts";
import { queryClient } from "../data/queries.ts";

/** Null: nobody is signed in. Undefined: not known yet. */
type State = { session: Session | null | undefined; hasEnded: boolean };

let state: State = { session: undefined, hasEnded: false };
let isLeaving = false;
let listen: ((notify: () => void) => () => void) | undefined;

/** The session of this browser; `hasEnded` when it was over without the user's doing. */
export function useSession(): State {
  return useSyncExternalStore(listen ??= listenToAuth(), () => state);
}

function listenToAuth() {
  const notified = new Set<() => void>();
  supabase.auth.onAuthStateChange((_event, session) => {
    const hadSession = Boolean(state.session);
    // What another user has read is not shown.
    if (state.session?.user.id !== session?.user.id) queryClient.clear();
    state = { session, hasEnded: session === null && hadSession && !isLeaving };
    isLeaving = false;
    for (const notify of notified) notify();
  });
  return (notify: () => void) => {
    notified.add(notify);
    return () => notified.delete(notify);
  };
}

/** Throws an error with a sentence for the user. */
export async function signIn(email: string, password: string): Promise<void> {
  const { error } = await supabase.auth.signInWithPassword({ email: email.trim(), password });
  if (error === null) return;
  if (error.code === "invalid_credentials") throw new Error("The e-mail address or the password is wrong.");
  throw explained(error);
}

/** Signs this browser out. The user's other machines stay signed in. */
export async function signOut(): Promise<void> {
  isLeaving = true;
  await supabase.auth.signOut({ scope: "local" });
}

/** Sends a link by which the user sets a new password, if the address has a login. Nothing tells whether it has. */
export async function sendPasswordLink(email: string): Promise<void> {
  const redirectTo = location.href.split("#")[0]!;
  const { error } = await supabase.auth.resetPasswordForEmail(email.trim(), { redirectTo });
  if (error !== null) throw explained(error);
}

/** Sets the password of whoever is signed in, and signs out whoever was signed in with an earlier one. */
export async function setPassword(password: string): Promise<void> {
  const { error } = await supabase.auth.updateUser({ password });
  if (error !== null) throw explained(error);
  await supabase.auth.signOut({ scope: "others" });
}

function explained(error: { status?: number; message: string }): Error {
  if (error.status === undefined || error.status === 0) {
    return new Error("No connection. Check your network and try again.");
  }
  if (error.status === 429) return new Error("Too many attempts. Try again in a minute.");
  if (error.status >= 500) return new Error("The service has a fault. Try again in a moment.");
  return new Error(`${error.message.replace(/\.$/, "")}.`);
}
