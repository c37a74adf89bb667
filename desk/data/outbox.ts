import { useSyncExternalStore } from "react";
import { CallError, supabase } from "./client.ts";
import { ownerOf } from "./conversation.ts";
import { sendText } from "./conversation_changes.ts";
import { changeStored, type OutboxText, readStored, removeStored, store } from "./outbox_store.ts";

/** After this time the words may be wrong. */
const ASK_AFTER_MS = 12 * 60 * 60 * 1000;
/** A text that gets no response is sent again after the first, and each time after twice as long, up to the last. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [1_000, 30_000];
/** The lock for sending and removing texts: one of this browser's tabs has it at a time. */
const LOCK = "desk-outbox";

interface State {
  /** The user's own, the first one first. */
  texts: OutboxText[];
  /** Whether the service could not be reached the last time. */
  isStuck: boolean;
}

let userId: string | null = null;
let state: State = { texts: [], isStuck: false };
let wait = FIRST_WAIT_MS;
let timer: ReturnType<typeof setTimeout> | undefined;
const notified = new Set<() => void>();
const tabs = new BroadcastChannel("desk-outbox");
tabs.onmessage = () => void showTexts();
addEventListener("online", () => void sendAll());

/** The texts that wait to be sent. A text with a question waits for the user's answer. */
export function useOutbox(): State {
  return useSyncExternalStore(listen, () => state);
}

function listen(notify: () => void): () => void {
  notified.add(notify);
  return () => notified.delete(notify);
}

/** Shows and sends the texts of this user from now on; null: nobody is signed in. */
export function openOutbox(user: string | null): void {
  userId = user;
  void showTexts().then(sendAll);
}

/** Keeps a text until the service has it, also when the page is closed. The same `client_message_id` is one text. */
export async function sendLater(text: Omit<OutboxText, "user_id" | "sent_at" | "question">): Promise<void> {
  await store({ ...text, user_id: userId!, sent_at: Date.now(), question: null });
  await changed();
  void sendAll();
}

/** Sends a text after all that the user was asked about. `takes_from`: as in {@link OutboxText}. */
export async function sendAfterAll(client_message_id: string, takes_from: string | null): Promise<void> {
  await changeStored(client_message_id, { sent_at: Date.now(), takes_from, question: null });
  await changed();
  await sendAll();
}

/** Takes a text out, so that it is never sent. Returns null when it was sent meanwhile. */
export async function takeOut(client_message_id: string): Promise<OutboxText | null> {
  return await navigator.locks.request(LOCK, async () => {
    const text = (await readStored()).find((text) => text.client_message_id === client_message_id);
    await removeStored(client_message_id);
    await changed();
    return text ?? null;
  });
}

/** Forgets what the user has not sent. */
export async function emptyOutbox(): Promise<void> {
  for (const { client_message_id } of state.texts) await removeStored(client_message_id);
  await changed();
}

async function showTexts(): Promise<void> {
  const texts = userId === null ? [] : (await readStored()).filter((text) => text.user_id === userId);
  setState({ ...state, texts: texts.sort((one, other) => one.sent_at - other.sent_at) });
}

function setState(next: State): void {
  state = next;
  for (const notify of notified) notify();
}

async function changed(): Promise<void> {
  tabs.postMessage(null);
  await showTexts();
}

/** Sends what waits, one after the other, in one tab at a time. What gets no response is sent again later. */
async function sendAll(): Promise<void> {
  clearTimeout(timer);
  const isStuck = await navigator.locks.request(LOCK, async () => {
    await showTexts();
    for (const text of state.texts.filter(({ question }) => question === null)) {
      // The user may have signed out, and deleted it, while the one before was sent.
      const isKept = state.texts.some(({ client_message_id }) => client_message_id === text.client_message_id);
      if (isKept && !await trySend(text)) return true;
    }
    return false;
  });
  if (isStuck !== state.isStuck) setState({ ...state, isStuck });
  wait = isStuck ? Math.min(2 * wait, LAST_WAIT_MS) : FIRST_WAIT_MS;
  if (isStuck) timer = setTimeout(sendAll, wait);
}

/** Sends a text. Returns false when nobody knows whether the service has it. */
async function trySend(text: OutboxText): Promise<boolean> {
  const { client_message_id, conversation_id, body, file } = text;
  try {
    if (Date.now() - text.sent_at > ASK_AFTER_MS) throw new Error("You wrote this more than 12 hours ago.");
    // Somebody else may have it meanwhile.
    const take_over = text.takes_from !== null && text.takes_from === await ownerOf(conversation_id);
    // Another user's session would send it in that name.
    const { data: { session } } = await supabase.auth.getSession();
    if (session?.user.id !== text.user_id) return false;
    await sendText({
      conversation_id,
      body,
      client_message_id,
      media: file === null ? [] : [{ url: file.url, content_type: file.content_type }],
      take_over,
    });
    await removeStored(client_message_id);
  } catch (error) {
    // Too many texts of one conversation wait, perhaps until its number is resumed: the others do not wait for them.
    const isFull = error instanceof CallError && error.code === "PT429" && error.field !== "";
    // A session that is over goes on when the user has signed in.
    if (error instanceof CallError && !isFull && (error.mayPass || error.status === 401)) return false;
    await changeStored(client_message_id, { question: questionOf(error) });
  }
  await changed();
  return true;
}

function questionOf(error: unknown): string {
  // A user who could write in it before knows that there is such a conversation.
  if (error instanceof CallError && error.code === "PT404") return "The conversation is not yours any more.";
  return error instanceof Error ? error.message : String(error);
}
