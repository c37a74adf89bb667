import { useState } from "react";
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

/**
 * The draft of a conversation. The tab keeps it with its id, so that neither a reload nor the end of a session loses it
 * or sends it twice.
 */
export function useDraft(agentId: string, conversationId: string) {
  const key = `${PREFIX}${agentId}:${conversationId}`;
  const [draft, setDraft] = useState(() => readDraft(key));

  function write(next: Draft): void {
    if (next.body === "" && next.file === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(next));
    setDraft(next);
  }
  return {
    draft,
    change: (changed: Partial<Draft>) => write({ ...readDraft(key), client_message_id: null, ...changed }),
    /** Forgets the draft if it is still the text that was queued under this id. */
    clear: (client_message_id: string) => {
      if (readDraft(key).client_message_id === client_message_id) write(EMPTY);
    },
  };
}

function readDraft(key: string): Draft {
  try {
    return { ...EMPTY, ...JSON.parse(sessionStorage.getItem(key) ?? "{}") };
  } catch {
    return EMPTY;
  }
}

/** Removes the drafts of whoever was signed in here before. */
export function forgetOthersDrafts(agentId: string): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${agentId}:`)) sessionStorage.removeItem(key);
  }
}
