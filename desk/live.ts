import { hashKey, type QueryKey } from "@tanstack/react-query";
import { useEffect } from "react";
import { supabase } from "./data/client.ts";
import { agentQueries } from "./data/agents.ts";
import { readAgain, readRowsAgain } from "./data/changes.ts";
import { conversationQueries } from "./data/conversation.ts";
import { readConversationsAgain } from "./data/conversation_changes.ts";
import { figureQueries } from "./data/figures.ts";
import { inboxQueries } from "./data/inbox.ts";
import { messageQueries } from "./data/messages.ts";
import { noteQueries } from "./data/notes.ts";
import { isInBell, notificationQueries } from "./data/notifications.ts";
import { orderQueries } from "./data/orders.ts";
import { recruitQueries } from "./data/recruits.ts";
import { teamQueries } from "./data/team.ts";
import type { Agent } from "./data/user.ts";
import { waitingTextQueries } from "./data/waiting_texts.ts";
import { viewStands } from "./ui/standing.ts";

/** Events come in bursts. What they are about is read once for each burst, and no more often than this. */
const [BURST_MS, LEAST_MS] = [150, 1_000];
/** A topic that was closed is joined again after the first, and each time after twice as long, up to the last. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [1_000, 30_000];

/**
 * The keys of what an event of each kind makes worth reading again as a whole. Of conversations and recruits the ones
 * that it names are read, with the notifications about them.
 */
const READ_AGAIN: Record<string, QueryKey[]> = {
  changed: [inboxQueries.summaries(), teamQueries.all()],
  notification: [
    inboxQueries.summaries(),
    teamQueries.all(),
    figureQueries.all(),
    recruitQueries.counts(),
    orderQueries.all(),
    notificationQueries.all(),
  ],
};
/** The keys of all that events are about, which is read on a connect. */
const ALL: QueryKey[] = [
  inboxQueries,
  conversationQueries,
  messageQueries,
  noteQueries,
  recruitQueries,
  agentQueries,
  teamQueries,
  figureQueries,
  orderQueries,
  notificationQueries,
  waitingTextQueries,
]
  .map((queries) => queries.all());

/** The content of an event of either kind. */
interface Ids {
  conversation_id?: string | null;
  lead_id?: string | null;
  /** The row of the recruit's timeline that is new. */
  timeline_id?: string | null;
}

/**
 * Reads again what the page shows when an event says that it has changed. Events are hints and hold ids alone: whatever
 * was missed is read on each connect.
 */
export function useLive({ id, agency_id, role }: Agent): void {
  useEffect(() => {
    const ends = [`agent:${id}`, ...(role === "manager" ? [`agency:${agency_id}`] : [])].map(watch);
    return () => ends.forEach((end) => end());
  }, [id, agency_id, role]);
}

/** The topics that are being left: only then can they be joined again. */
const left = new Map<string, Promise<unknown>>();

/** Joins a topic, and again whenever it was closed. Returns a function that leaves it. */
function watch(topic: string): () => void {
  let isEnded = false;
  let wait = FIRST_WAIT_MS;
  async function join(): Promise<void> {
    await left.get(topic);
    await viewStands();
    const realtime = await supabase.realtime().catch(() => null);
    if (isEnded) return;
    // Its script is not there, as without a connection.
    if (realtime === null) return joinLater();
    const channel = realtime.channel(topic, { config: { private: true } });
    for (const [event, keys] of Object.entries(READ_AGAIN)) {
      channel.on("broadcast", { event }, ({ payload }) => {
        // A recruit who is new to the agent, or has just written, may have texts without a conversation.
        const isOfRecruit = event === "notification" && payload.conversation_id === null;
        void readBurst(isOfRecruit ? [...keys, waitingTextQueries.all()] : keys, payload);
      });
    }
    let joinedAt = Infinity;
    channel.subscribe((status) => {
      if (isEnded) return;
      if (status === "SUBSCRIBED") {
        joinedAt = Date.now();
        void readBurst(ALL);
      }
      // After an error supabase-js tries again by itself. But what the service has closed, as for a token that is over,
      // stays closed.
      if (status === "CLOSED") {
        if (Date.now() - joinedAt > LAST_WAIT_MS) wait = FIRST_WAIT_MS;
        joinLater();
      }
    });
    leave = () => left.set(topic, realtime.removeChannel(channel));
  }
  function joinLater(): void {
    setTimeout(join, wait);
    wait = Math.min(2 * wait, LAST_WAIT_MS);
  }
  let leave = () => {};
  void join();
  return () => {
    isEnded = true;
    leave();
  };
}

/**
 * The reads that wait: keys as a whole, and single conversations and recruits by their ids. A recruit has the rows of
 * its timeline; null: all.
 */
let waiting = noReads();
let isReading = false;
let readAt = 0;

function noReads() {
  return {
    keys: new Map<string, QueryKey>(),
    conversations: new Set<string>(),
    recruits: new Map<string, Set<string | null>>(),
  };
}

/** One read after the other, however many events come. */
async function readBurst(keys: QueryKey[], { conversation_id, lead_id, timeline_id = null }: Ids = {}): Promise<void> {
  for (const key of keys) waiting.keys.set(hashKey(key), key);
  if (conversation_id) waiting.conversations.add(conversation_id);
  if (lead_id) waiting.recruits.set(lead_id, (waiting.recruits.get(lead_id) ?? new Set()).add(timeline_id));
  if (isReading) return;
  isReading = true;
  while (Object.values(waiting).some(({ size }) => size > 0)) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(BURST_MS, readAt + LEAST_MS - Date.now())));
    const { keys, conversations, recruits } = waiting;
    waiting = noReads();
    if (isInBell([...conversations], [...recruits.keys()])) {
      keys.set(hashKey(notificationQueries.all()), notificationQueries.all());
    }
    const whole = [
      ...keys.values(),
      ...[...conversations].map((id) => messageQueries.list(id).queryKey),
      ...[...recruits].flatMap(([id, rows]) => [
        recruitQueries.detail(id).queryKey,
        ...(rows.has(null) ? [recruitQueries.timeline(id)] : []),
        noteQueries.list(id).queryKey,
      ]),
    ];
    // Not awaited: a slow read must not delay the next texts. The latest read counts.
    void readConversationsAgain([...conversations]);
    await Promise.all([
      ...whole.map(readAgain),
      readRowsAgain([recruitQueries.lists()], [...recruits.keys()]),
      ...[...recruits].map(([id, rows]) =>
        readRowsAgain([recruitQueries.timeline(id)], [...rows].filter((row) => row !== null))
      ),
    ]);
    readAt = Date.now();
  }
  isReading = false;
}
