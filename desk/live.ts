import type { RealtimeChannel } from "@supabase/supabase-js";
import { useEffect, useState } from "react";
import { supabase } from "./data/client.ts";
import { queryClient } from "./data/queries.ts";
import type { Agent } from "./data/user.ts";

/** Events come in bursts. What they are about is read once for each burst. */
const BURST_MS = 150;
const REJOIN_MS = 2_000;

/** What an event of each kind makes worth reading again, by the first part of the queries' keys. */
const READ_AGAIN: Record<string, string[]> = {
  changed: ["inbox", "conversation", "messages", "unread"],
  notification: ["inbox", "conversation", "messages", "unread", "recruits"],
};

/**
 * Reads again what the page shows when an event says that it has changed. Events are hints and hold ids alone: whatever
 * was missed is read on each connect.
 *
 * @returns whether events come
 */
export function useLive({ id, agency_id, role }: Agent): boolean {
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    const topics = [`agent:${id}`, ...(role === "manager" ? [`agency:${agency_id}`] : [])];
    const ends = topics.map((topic, place) => watch(topic, place === 0 ? setLive : () => {}));
    return () => ends.forEach((end) => end());
  }, [id, agency_id, role]);
  return isLive;
}

/** Joins a topic, again and again where it is closed. Returns a function that leaves it. */
function watch(topic: string, tell: (isLive: boolean) => void): () => void {
  let isEnded = false;
  let channel: RealtimeChannel;
  function join() {
    if (isEnded) return;
    channel = supabase.channel(topic, { config: { private: true } });
    for (const [event, resources] of Object.entries(READ_AGAIN)) {
      channel.on("broadcast", { event }, () => readAgain(resources));
    }
    channel.subscribe((status) => {
      if (isEnded) return;
      tell(status === "SUBSCRIBED");
      if (status === "SUBSCRIBED") readAgain(Object.values(READ_AGAIN).flat());
      // supabase-js connects again by itself. But when the session was over, the channel is closed for good.
      if (status === "CLOSED") setTimeout(join, REJOIN_MS);
    });
  }
  join();
  return () => {
    isEnded = true;
    void supabase.removeChannel(channel);
  };
}

const waiting = new Set<string>();

function readAgain(resources: string[]): void {
  if (waiting.size === 0) {
    setTimeout(() => {
      const keys = [...waiting];
      waiting.clear();
      for (const key of keys) void queryClient.invalidateQueries({ queryKey: [key] });
    }, BURST_MS);
  }
  for (const resource of resources) waiting.add(resource);
}
