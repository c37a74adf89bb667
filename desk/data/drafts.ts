import { useSyncExternalStore } from "react";
import type { Media } from "./messages.ts";

/** What an agent has written and not sent. */
export interface Draft {
  body: string;
  file: (Media & { name: string }) | null;
  /** Made when it is sent, and gone when it is changed: the same id is the same text, however often it is sent. */
  client_message_id: string | null;
}

const EMPTY: Draft = { body: "", file: null, client_message_id: null };
const PREFIX = "draft:";
const notified = new Set<() => void>();

/**
 * The draft of a conversation. The tab alone keeps it, with its id: neither a reload, nor the end of a session, nor
 * what ends while another conversation is open loses it or sends it twice.
 */
export function useDraft(agentId: string, conversationId: string) {
  const key = keyOf(agentId, conversationId);
  const kept = useSyncExternalStore(listen, () => sessionStorage.getItem(key));
  return {
    draft: parse(kept),
    change: (changed: Partial<Draft>) => write(key, { ...readDraft(key), client_message_id: null, ...changed }),
    /** Forgets the draft if it is still the text that was queued under this id. */
    clear: (client_message_id: string) => clearQueued(agentId, conversationId, [client_message_id]),
  };
}

/** Puts words into the box of a conversation, and whether it is free for them: it has no others. */
export function useWriteAgain(agentId: string, conversationId: string) {
  const key = keyOf(agentId, conversationId);
  return {
    // Not the words: who shows this is not rendered at each key.
    isFree: useSyncExternalStore(listen, () => readDraft(key).body === ""),
    writeAgain: (body: string) => write(key, { ...readDraft(key), client_message_id: null, body }),
  };
}

/** Forgets the draft of a conversation if it is one of the texts that were queued under these ids. */
export function clearQueued(agentId: string, conversationId: string, client_message_ids: (string | null)[]): void {
  const key = keyOf(agentId, conversationId);
  const { client_message_id } = readDraft(key);
  if (client_message_id !== null && client_message_ids.includes(client_message_id)) write(key, EMPTY);
}

function keyOf(agentId: string, conversationId: string): string {
  return `${PREFIX}${agentId}:${conversationId}`;
}

function listen(notify: () => void): () => void {
  notified.add(notify);
  return () => notified.delete(notify);
}

function write(key: string, draft: Draft): void {
  if (draft.body === "" && draft.file === null) sessionStorage.removeItem(key);
  else sessionStorage.setItem(key, JSON.stringify(draft));
  for (const notify of notified) notify();
}

function readDraft(key: string): Draft {
  return parse(sessionStorage.getItem(key));
}

function parse(kept: string | null): Draft {
  return kept === null ? EMPTY : JSON.parse(kept);
}

/** Removes the drafts of everybody else; without an agent, of all who were signed in here. */
export function forgetDrafts(exceptAgentId?: string): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${exceptAgentId}:`)) sessionStorage.removeItem(key);
  }
}
