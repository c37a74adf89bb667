import { useEffect, useSyncExternalStore } from "react";
import { useMarkConversationRead } from "../data/conversation_changes.ts";

/**
 * Marks a conversation as read up to its latest text, while that is shown to somebody: the page is visible and focused,
 * and the thread at its end. What comes while nobody looks stays unread.
 */
export function useMarkRead(
  { id, is_unread }: { id: string; is_unread: boolean },
  latest: string | undefined,
  isAtEnd: boolean,
): void {
  const isWatched = useWatched();
  const { mutate: markRead } = useMarkConversationRead(id);
  useEffect(() => {
    // One that fails is made up for when the user looks again.
    if (is_unread && latest !== undefined && isAtEnd && isWatched) markRead(latest);
  }, [markRead, is_unread, latest, isAtEnd, isWatched]);
}

function useWatched(): boolean {
  return useSyncExternalStore(listen, () => document.visibilityState === "visible" && document.hasFocus());
}

function listen(notify: () => void): () => void {
  const events = ["focus", "blur", "visibilitychange"];
  for (const event of events) globalThis.addEventListener(event, notify);
  return () => events.forEach((event) => globalThis.removeEventListener(event, notify));
}
