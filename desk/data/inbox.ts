import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";
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
  email: string | null;
  state: string | null;
  assigned_agent_id: string | null;
  /** The agent who is to answer: the assigned one, else the recruit's. */
  agent_id: string | null;
  agent: string | null;
  /** Since when the recruit waits for an answer. */
  waiting_since: string | null;
  /** The place in the queue: since when the recruit waits, else until when the conversation was put off. */
  due_since: string | null;
  last_text_at: string;
  last_body: string | null;
  last_sender: "recruit" | "bot" | "agent" | null;
  /** The agent who wrote it; null: nobody did, or nobody knows who. */
  last_sent_by: string | null;
  /** The first name of that agent. */
  last_author: string | null;
  /** The number of files of the latest text. */
  last_media: number;
  is_unread: boolean;
  is_opted_out: boolean;
  /** Until when the conversation is put off, or was; null: it was not, or a new text has ended it. */
  snoozed_until: string | null;
  /** Whether the recruit waits, or the conversation was put off until a time that has come. */
  is_due: boolean;
  /** Whether our latest text was not delivered. */
  is_failed: boolean;
  /** Whether one of our texts waits for the texting hours, or for the agency's number. */
  is_held: boolean;
  /** Whether the bot answers the recruit's next text. */
  has_bot: boolean;
}

/** The parts of the inbox that a user chooses from, as they stand in the address. The last two are for managers. */
export const VIEWS = ["waiting", "bot", "failed", "held", "all", "mine", "nobody"] as const;
export type View = typeof VIEWS[number];

/** The parts that a user has. */
export function viewsOf({ role }: Agent): View[] {
  return VIEWS.filter((view) => role === "manager" || view !== "mine" && view !== "nobody");
}

/** The filter of the list of conversations. Those who wait are ordered by how long; all others by the latest text. */
export interface Filter {
  view: View;
  isUnread: boolean;
  /** The words that the user looks for, in all conversations: then `view` does not count. */
  typed: string;
  /** Null: the agent who is to answer. */
  agentId: string | null;
}

/** The filter of conversations that wait for a manager or have no agent. */
type NextFilter = Omit<Filter, "view"> & { view: "next" };

/** The row of the view `inbox_counts`. */
type Counts = Record<"waiting" | "waiting_for_me" | "bot" | "failed" | "held" | "total" | "mine" | "nobody", number>;

export const inboxQueries = {
  all: () => ["inbox"],
  lists: () => [...inboxQueries.all(), "list"],
  /** The conversations that the agent may read. */
  list: (agent: Agent, filter: Filter | NextFilter) => {
    const { agency_id } = agent;
    const { view, isUnread, typed, agentId } = filter;
    const isQueue = typed === "" && (view === "waiting" || view === "next");
    const by = isQueue
      ? { column: "due_since", ascending: true } as const
      : { column: "last_text_at", ascending: false } as const;
    return pagesOptions<InboxRow>([...inboxQueries.lists(), agency_id, filter], async (limit, last, ids) => {
      let query = typed === ""
        ? narrow(rowsOfAgency(agency_id), agent, view)
        : supabase.rpc("search_inbox", { agency_id, typed }) as unknown as InboxQuery;
      if (isUnread) query = query.is("is_unread", true);
      if (agentId !== null) query = query.eq("agent_id", agentId);
      if (ids !== null) query = query.in("id", ids);
      return await call(after(query, last, by.column, by.ascending).limit(limit)) as InboxRow[];
    }, {
      order: by,
      isInList: (row) => isInList(row, agent, filter),
      // Only the service knows what a search finds.
      ...typed === "" && { readThese: readInboxRows },
    });
  },
  /** The number of conversations in each part of the inbox. */
  counts: (agent: Agent) =>
    queryOptions({
      queryKey: [...inboxQueries.summaries(), "counts", agent.id],
      queryFn: async (): Promise<Record<View, number>> => {
        const counts = await call(
          supabase.from("inbox_counts").select().eq("agency_id", agent.agency_id).maybeSingle(),
        ) as Counts | null;
        if (counts === null) return { waiting: 0, bot: 0, failed: 0, held: 0, all: 0, mine: 0, nobody: 0 };
        const { waiting, waiting_for_me, total, ...others } = counts;
        return { ...others, all: total, waiting: agent.role === "manager" ? waiting : waiting_for_me };
      },
    }),
  /** The conversations that wait for this agent, the longest wait first; for a manager also those without an agent. */
  next: (agent: Agent) => {
    // For an agent these are the part Waiting of the inbox.
    const view = agent.role === "manager" ? "next" : "waiting";
    return inboxQueries.list(agent, { view, isUnread: false, typed: "", agentId: null });
  },
  /** What each change of a conversation may change. */
  summaries: () => [...inboxQueries.all(), "summary"],
};

/** Reads conversations by their ids. */
export async function readInboxRows(ids: string[]): Promise<InboxRow[]> {
  return await call(supabase.from("inbox").select().in("id", ids)) as InboxRow[];
}

function rowsOfAgency(agency_id: string) {
  return supabase.from("inbox").select().eq("agency_id", agency_id);
}
type InboxQuery = ReturnType<typeof rowsOfAgency>;

/** Narrows the rows of an agency to a part of the inbox. An agent's own wait; a manager sees all who do. */
function narrow(rows: InboxQuery, { id, role }: Agent, view: View | "next"): InboxQuery {
  switch (view) {
    case "next":
      return rows.not("due_since", "is", null).is("is_due", true).or(`agent_id.eq.${id},agent_id.is.null`);
    case "waiting": {
      const waiting = rows.not("due_since", "is", null).is("is_due", true);
      return role === "manager" ? waiting : waiting.eq("agent_id", id);
    }
    case "bot":
      return rows.eq("status", "bot");
    case "failed":
      return rows.is("is_failed", true);
    case "held":
      return rows.is("is_held", true);
    case "mine":
      return rows.eq("agent_id", id);
    case "nobody":
      return rows.is("agent_id", null);
    case "all":
      return rows;
  }
}

/** Whether a row belongs to the list. A row that a search has found stays: no change affects the words. */
function isInList(
  row: InboxRow,
  { id, role, agency_id }: Agent,
  { view, isUnread, typed, agentId }: Filter | NextFilter,
): boolean {
  const isInView: Record<View | "next", boolean> = {
    next: row.is_due && (row.agent_id === id || row.agent_id === null),
    waiting: row.is_due && (role === "manager" || row.agent_id === id),
    bot: row.status === "bot",
    failed: row.is_failed,
    held: row.is_held,
    mine: row.agent_id === id,
    nobody: row.agent_id === null,
    all: true,
  };
  return row.agency_id === agency_id && (typed !== "" || isInView[view]) && (!isUnread || row.is_unread) &&
    (agentId === null || row.agent_id === agentId);
}
