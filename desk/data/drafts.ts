import { keep, useKept } from "./kept.ts";
import type { Media } from "./messages.ts";

/** A text that an agent has written and not sent. */
export interface Draft {
  body: string;
  file: (Media & { name: string }) | null;
  /** Another one after each change. The same id is the same text, however often and from how many tabs it is sent. */
  client_message_id: string;
}

const EMPTY: Draft = { body: "", file: null, client_message_id: "" };
const PREFIX = "draft:";

/**
 * The draft of a conversation. The browser keeps it until it is sent or the agent signs out: neither a closed tab, nor
 * the end of a session, nor what ends while another conversation is open loses it or sends it twice.
 */
export function useDraft(agentId: string, conversationId: string) {
  const key = keyOf(agentId, conversationId);
  const kept = useKept(key, (kept) => kept);
  return {
    draft: parse(kept),
    change: (changed: Partial<Draft>) =>
      write(key, { ...readDraft(key), client_message_id: crypto.randomUUID(), ...changed }),
    /** Forgets the draft if it is still the text that was queued under this id. */
    clear: (client_message_id: string) => clearQueued(agentId, conversationId, [client_message_id]),
  };
}

/** Whether an agent has written something in a conversation that is not sent. */
export function hasDraft(agentId: string, conversationId: string): boolean {
  return readDraft(keyOf(agentId, conversationId)).body !== "";
}

/** Puts a text into the box of a conversation, and whether it is free for it: it has no other. */
export function useWriteAgain(agentId: string, conversationId: string) {
  const key = keyOf(agentId, conversationId);
  return {
    // Not the words: who shows this is not rendered at each key.
    isFree: useKept(key, (kept) => parse(kept).body === ""),
    /** With its `client_message_id` it stays the same text until it is changed. */
    writeAgain: (text: Pick<Draft, "body"> & Partial<Draft>) =>
      write(key, { ...readDraft(key), client_message_id: crypto.randomUUID(), ...text }),
  };
}

/** Forgets the draft of a conversation if it is one of the texts that were queued under these ids. */
export function clearQueued(agentId: string, conversationId: string, client_message_ids: (string | null)[]): void {
  const key = keyOf(agentId, conversationId);
  const { client_message_id } = readDraft(key);
  if (client_message_ids.includes(client_message_id)) write(key, EMPTY);
}

function keyOf(agentId: string, conversationId: string): string {
  return `${PREFIX}${agentId}:${conversationId}`;
}

function write(key: string, draft: Draft): void {
  keep(key, draft.body === "" && draft.file === null ? null : JSON.stringify(draft));
}

function readDraft(key: string): Draft {
  return parse(localStorage.getItem(key));
}

function parse(kept: string | null): Draft {
  return kept === null ? EMPTY : JSON.parse(kept);
}

/** Removes the drafts of everybody else; without an agent, of all who were signed in here. */
export function forgetDrafts(exceptAgentId?: string): void {
  for (const key of Object.keys(localStorage)) {
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${exceptAgentId}:`)) localStorage.removeItem(key);
  }
}
