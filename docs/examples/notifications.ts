import { repeat } from "./repeating.ts";
import { supabase } from "./supabase.ts";

/** Ids alone, so that nothing of a text is in an event. */
export type Notification = {
  id: string;
  conversation_id: string | null;
  message_id: string | null;
  /** Only of a `lead`. */
  lead_id: string | null;
  /**
   * The recruit has written, or has opted out; a text to the recruit could not be sent; the bot's script has ended; a
   * recruit was handed out.
   */
  kind: "text" | "opt_out" | "failed" | "handoff" | "lead";
};

/** The latest hundred notifications that are not marked as read, the oldest of them first. */
export async function readUnread(): Promise<Notification[]> {
  const rows = await repeat(() =>
    supabase.from("agent_notifications")
      .select("id, conversation_id, message_id, lead_id, kind")
      .is("read_at", null)
      .order("created_at", { ascending: false })
      .range(0, 99)
  );
  return rows.reverse() as Notification[];
}

export async function markRead(notification_ids: string[]): Promise<void> {
  await repeat(() => supabase.rpc("mark_read", { notification_ids }));
}

/**
 * Tells each unread notification once: those that are there, and then each as it comes. An event that is lost costs
 * nothing, because the rows are read whenever the connection has been made.
 *
 * @param agent_id the agent who is signed in
 * @returns a function that ends it
 */
export function watchNotifications(
  agent_id: string,
  tell: (notification: Notification) => void,
): () => void {
  const told = new Set<string>();
  let isEnded = false;
  let channel = join();

  function tellOnce(notification: Notification) {
    if (told.has(notification.id)) return;
    told.add(notification.id);
    tell(notification);
  }
  async function catchUp() {
    try {
      (await readUnread()).forEach(tellOnce);
    } catch (error) {
      console.error("The notifications could not be read.", error);
    }
  }
  function join() {
    return supabase.channel(`agent:${agent_id}`, { config: { private: true } })
      .on("broadcast", { event: "notification" }, ({ payload }) => tellOnce(payload))
      .subscribe((status) => {
        // After each connection, the first and every later one.
        if (status === "SUBSCRIBED") catchUp();
        // supabase-js connects again by itself. But when the session was over, the channel is closed for good.
        if (status === "CLOSED" && !isEnded) setTimeout(rejoin, 2_000);
      });
  }
  function rejoin() {
    if (!isEnded) channel = join();
  }

  // Not only when Realtime can be reached.
  catchUp();
  return () => {
    isEnded = true;
    supabase.removeChannel(channel);
  };
}
