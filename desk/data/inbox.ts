import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { after, pagesOptions, search } from "./pages.ts";
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
  /** The agent who is to answer: the assigned one, else the recruit's. */
  agent_id: string | null;
  agent: string | null;
  /** Since when the recruit waits for an answer. */
  waiting_since: string | null;
  last_text_at: string;
  last_body: string | null;
  last_direction: "inbound" | "outbound" | null;
  /** The number of files of the latest text. */
  last_media: number;
  is_unread: boolean;
  is_opted_out: boolean;
}

/** The filter of the list of conversations, and its order. */
export interface Filter {
  /** `waiting`: who waits for an answer, the longest first. `newest`: all, the latest text first. */
  order: "waiting" | "newest";
  isUnread: boolean;
  /** The words that the user looks for: a part of the name, or the last digits of the number. */
  typed: string;
  /** Null: the agent who is to answer. */
  agentId: string | null;
}

/** More than this are not counted, unread or not. */
export const MAX_UNREAD = 99;

export const inboxQueries = {
  all: () => ["inbox"],
  lists: () => [...inboxQueries.all(), "list"],
  /** The conversations that the agent may read. */
  list: ({ agency_id }: Agent, filter: Filter) => {
    const { order, typed } = filter;
    const by = order === "waiting"
      ? { column: "waiting_since", ascending: true } as const
      : { column: "last_text_at", ascending: false } as const;
    return pagesOptions<InboxRow>([...inboxQueries.lists(), agency_id, filter], async (limit, last, ids) => {
      let query = narrow(supabase.from("inbox").select().eq("agency_id", agency_id).limit(limit), filter);
      if (ids !== null) query = query.in("id", ids);
      query = search(query, typed, { names: ["name"], phones: ["recruit_phone"] });
      return await call(after(query, last, by.column, by.ascending)) as InboxRow[];
    }, { order: by, isInList: (row) => isInList(row, filter) });
  },
  /** The number of conversations in a list, up to {@link MAX_UNREAD} and one. */
  count: ({ agency_id }: Agent, filter: Filter) =>
    queryOptions({
      queryKey: [...inboxQueries.unreadCounts(), agency_id, filter],
      queryFn: async () => {
        const query = supabase.from("inbox").select("id").eq("agency_id", agency_id).limit(MAX_UNREAD + 1);
        return (await call(narrow(query, filter))).length;
      },
    }),
  unreadCounts: () => [...inboxQueries.all(), "unread"],
  /** The number of unread conversations for this agent: its own and, for a manager, those that nobody has. */
  unreadCount: ({ id, agency_id }: Agent) =>
    queryOptions({
      queryKey: [...inboxQueries.unreadCounts(), id],
      queryFn: async () => {
        const rows = await call(
          supabase.from("inbox").select("id").eq("agency_id", agency_id).is("is_unread", true)
            .or(`agent_id.eq.${id},agent_id.is.null`).limit(MAX_UNREAD + 1),
        );
        return rows.length;
      },
    }),
};

/** A query of conversations that can be narrowed. */
interface Narrowed<Query> {
  not(column: string, operator: string, value: unknown): Query;
  is(column: string, value: boolean): Query;
  eq(column: string, value: string): Query;
}

/** Narrows conversations to those of a filter, but for what is searched for. */
function narrow<Query extends Narrowed<Query>>(query: Query, { order, isUnread, agentId }: Filter): Query {
  if (order === "waiting") query = query.not("waiting_since", "is", null);
  if (isUnread) query = query.is("is_unread", true);
  return agentId === null ? query : query.eq("agent_id", agentId);
}

/** Whether a row that was in the list still is after a change. No change is about what is searched for. */
function isInList(row: InboxRow, { order, isUnread, agentId }: Filter): boolean {
  return (order !== "waiting" || row.waiting_since !== null) && (!isUnread || row.is_unread) &&
    (agentId === null || row.agent_id === agentId);
}
