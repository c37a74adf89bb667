import type { Session } from "@supabase/auth-js";
import { useSyncExternalStore } from "react";
import { SESSION_KEY, supabase } from "../data/client.ts";
import { forgetDrafts } from "../data/drafts.ts";
import { emptyOutbox, openOutbox } from "../data/outbox.ts";
import { queryClient } from "../data/queries.ts";
import { forgetUser } from "../data/user.ts";
import type { Link } from "./link.ts";

/** The user at the page. */
interface State {
  /** Null: nobody. Undefined: not known yet. */
  user: { id: string; email: string } | null | undefined;
  /** The user's session was over without the user's doing. The view is kept, unseen, until the user is back. */
  hasEnded: boolean;
}

let state: State = { user: undefined, hasEnded: false };
let isLeaving = false;
const notified = new Set<() => void>();

/** Follows the client's session from now on. Called once, after the client is made. */
export function followSession(): void {
  supabase.auth.onAuthStateChange((_event, session) => setSession(session));
}

export function useSession(): State {
  return useSyncExternalStore(listen, () => state);
}

function listen(notify: () => void): () => void {
  notified.add(notify);
  return () => notified.delete(notify);
}

function setSession(session: Session | null): void {
  if (session === null && state.user && !isLeaving) {
    state = { user: state.user, hasEnded: true };
  } else {
    const user = session && { id: session.user.id, email: session.user.email ?? "" };
    if (state.user && state.user.id !== user?.id) {
      // Nobody sees what another user has read or written, nor where.
      queryClient.clear();
      forgetDrafts();
      forgetUser();
      location.hash = "#/";
    }
    state = { user, hasEnded: false };
    openOutbox(user && user.id);
  }
  isLeaving = false;
  for (const notify of notified) notify();
}

/** Throws an error with a sentence for the user. */
export async function signIn(email: string, password: string): Promise<void> {
  const { error } = await supabase.auth.signInWithPassword({ email: email.trim(), password });
  if (error !== null) throw explained(error);
}

/**
 * Signs this browser out, also without a connection, and forgets what the user has not sent. Nothing is pushed to it any
 * more. The user's other machines stay signed in.
 */
export async function signOut(): Promise<void> {
  await emptyOutbox();
  // Without a network the subscription stays until the push service rejects it, or another login takes the browser.
  await import("../data/push.ts").then(({ forgetSubscription }) => forgetSubscription()).catch(() => {});
  isLeaving = true;
  const { error } = await supabase.auth.signOut({ scope: "local" });
  if (error === null) return;
  localStorage.removeItem(SESSION_KEY);
  setSession(null);
}

/** Sends a link by which the user sets a new password, if the address has a login. Nothing tells whether it has. */
export async function sendPasswordLink(email: string): Promise<void> {
  const redirectTo = location.href.split("#")[0]!;
  const { error } = await supabase.auth.resetPasswordForEmail(email.trim(), { redirectTo });
  if (error !== null) throw explained(error);
}

/** Sets the password of the signed-in user, and ends every session that began with an earlier one. */
export async function setPassword(password: string): Promise<void> {
  const { error } = await supabase.auth.updateUser({ password });
  if (error !== null) throw explained(error);
  await supabase.auth.signOut({ scope: "others" });
}

/** Signs in by what an e-mail's link has brought. Returns whether the link still works. */
export async function signInByLink(link: Link): Promise<boolean> {
  if (link.kind === "failed") return false;
  const { error } = await (link.kind === "token" ? supabase.auth.verifyOtp(link) : supabase.auth.setSession(link));
  if (error !== null && (!error.status || error.status === 429 || error.status >= 500)) throw explained(error);
  return error === null;
}

const SENTENCES: Record<string, string> = {
  invalid_credentials: "The e-mail address or the password is wrong.",
  reauthentication_needed: "You signed in long ago. Sign out, and set it by “Forgot the password?”.",
};

function explained({ status, code = "", message }: { status?: number; code?: string; message: string }): Error {
  if (!status) return new Error("No connection. Check your network and try again.");
  if (status === 429) return new Error("Too many attempts. Try again in a minute.");
  if (status >= 500) return new Error("The service has a fault. Try again in a moment.");
  return new Error(SENTENCES[code] ?? `${message.replace(/\.$/, "")}.`);
}
