import { useQuery } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { after, readRowsAgain, search, usePages } from "./pages.ts";
import { queryClient } from "./queries.ts";
import type { Agent } from "./user.ts";

/** A conversation as the view `inbox` has it. */
export interface InboxRow {
  id: string;
  agency_id: string;
  status: "bot" | "escalated";
  recruit_phone: string;
  recruiting_lead_id: string | null;
  /** First and last name of the recruit. */
  name: string | null;
  state: string | null;
  assigned_agent_id: string | null;
  /** Who is to answer: the assigned agent, else the recruit's. */
  agent_id: string | null;
  agent: string | null;
  /** Since when the recruit waits for an answer. */
  waiting_since: string | null;
  last_text_at: string;
  last_body: string | null;
  last_direction: "inbound" | "outbound" | null;
  /** How many files the latest text has. */
  last_media: number;
  is_unread: boolean;
  is_opted_out: boolean;
}

/** Which conversations the list has, and in which order. */
export interface Filter {
  /** `waiting`: who waits for an answer, the longest first. `newest`: all, the latest text first. */
  order: "waiting" | "newest";
  isUnread: boolean;
  /** What the user looks for: a part of the name, or the last digits of the number. */
  typed: string;
  /** Null: the agent who is to answer. */
  agentId: string | null;
}

/** The conversations that the agent may read. */
export function useInbox({ agency_id }: Agent, { order, isUnread, typed, agentId }: Filter) {
  const by = order === "waiting"
    ? { column: "waiting_since", ascending: true } as const
    : { column: "last_text_at", ascending: false } as const;
  return usePages<InboxRow>(["inbox", agency_id, order, isUnread, typed, agentId], async (limit, last, ids) => {
    let query = supabase.from("inbox").select().eq("agency_id", agency_id).limit(limit);
    if (order === "waiting") query = query.not("waiting_since", "is", null);
    if (isUnread) query = query.is("is_unread", true);
    if (agentId !== null) query = query.eq("agent_id", agentId);
    if (ids !== null) query = query.in("id", ids);
    query = search(query, typed, { names: ["name"], phones: ["recruit_phone"] });
    return await call(after(query, last, by.column, by.ascending)) as InboxRow[];
  }, by);
}

/** More than this are not counted. */
export const MAX_UNREAD = 99;

/** How many unread conversations wait for this agent: its own and, for a manager, those that nobody has. */
export function useUnread(agent: Agent) {
  return useQuery({
    queryKey: ["unread", agent.id],
    queryFn: async () => {
      const rows = await call(
        supabase.from("inbox").select("id").eq("agency_id", agent.agency_id).is("is_unread", true)
          .or(`agent_id.eq.${agent.id},agent_id.is.null`).limit(MAX_UNREAD + 1),
      );
      return rows.length;
    },
  });
}

/** Reads again what shows a conversation, after something was done with it, without waiting for the list. */
export async function readInboxAgain(conversation_id: string): Promise<void> {
  void readRowsAgain(["inbox"], [conversation_id]);
  void queryClient.invalidateQueries({ queryKey: ["unread"] });
  await Promise.all(
    ["conversation", "messages"].map((key) => queryClient.invalidateQueries({ queryKey: [key, conversation_id] })),
  );
}
