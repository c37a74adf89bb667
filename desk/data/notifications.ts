import { queryOptions, useMutation } from "@tanstack/react-query";
import { changeData } from "./changes.ts";
import { call, repeat, supabase } from "./client.ts";
import { isId } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** A notification of an agent: who it is about, and no words of a text. */
export interface Notification {
  id: string;
  kind: string;
  /** With `handoff`: `assigned`, or why the bot has ended. */
  reason: string | null;
  /** Whether the recruit may be in danger. */
  urgent: boolean;
  conversation_id: string | null;
  lead_id: string | null;
  created_at: string;
  /** How many more conversations went to another agent with this one; null: none. */
  others: number | null;
  /** The recruit; null: not known, or not the user's to read. */
  recruit: Person | null;
  /** The colleague whose act it is about; null: there is none. */
  by: Person | null;
  by_agent_id: string | null;
  /** Whether the recruit still waits for an answer. */
  isWaiting: boolean;
  /** Whether neither the conversation nor the recruit has an agent. */
  hasNoAgent: boolean;
}

interface Person {
  first_name: string | null;
  last_name: string | null;
}

type Lead = Person & { agent_id: string | null };

type Row = Omit<Notification, "recruit" | "isWaiting" | "hasNoAgent"> & {
  lead: Lead | null;
  conversation: { waiting_since: string | null; assigned_agent_id: string | null; lead: Lead | null } | null;
};

/** The number of the latest unread notifications that the page knows. */
const LATEST = 100;
const COLUMNS = `id, kind, reason, urgent, conversation_id, lead_id, created_at, others, by_agent_id,
  by:agents!agent_notifications_by_agent_id_fkey(first_name, last_name),
  lead:recruiting_leads(first_name, last_name, agent_id),
  conversation:recruiting_conversations(waiting_since, assigned_agent_id,
    lead:recruiting_leads(first_name, last_name, agent_id))`;

/** The kinds that ask for something, as what is urgent does. */
const NOTICES = ["taken_over", "asked_for", "recruit_waiting"];

export const notificationQueries = {
  all: () => ["notifications"],
  /** The latest notifications that an agent has not read, newest first. */
  unread: (agentId: string) =>
    queryOptions({
      queryKey: [...notificationQueries.all(), "unread", agentId],
      queryFn: async () =>
        (await call(notifications().is("read_at", null).limit(LATEST)) as unknown as Row[]).map(read),
    }),
  /** The notification about who has taken over a conversation of the user's; null: nobody has. */
  takeover: (conversationId: string) =>
    queryOptions({
      queryKey: [...notificationQueries.all(), "takeover", conversationId],
      queryFn: async (): Promise<Notification | null> => {
        if (!isId(conversationId)) return null;
        const [row] = await call(
          notifications().eq("conversation_id", conversationId).eq("kind", "taken_over").limit(1),
        ) as unknown as Row[];
        return row === undefined ? null : read(row);
      },
    }),
};

/**
 * Whether the bell may have a notification about one of these conversations or recruits, which a change may make
 * obsolete. Notifications of texts do not count: the inbox counts texts.
 */
export function isInBell(conversations: string[], recruits: string[] = []): boolean {
  const known = queryClient.getQueriesData<Notification[]>({ queryKey: [...notificationQueries.all(), "unread"] });
  return known.some(([, unread]) =>
    unread === undefined ||
    unread.some(({ kind, conversation_id, lead_id }) =>
      kind !== "text" && (conversations.includes(conversation_id ?? "") || recruits.includes(lead_id ?? ""))
    )
  );
}

/** Whether a notification asks for something: it is shown again to a user who comes, and stands first. */
export function isNotice({ kind, urgent, isWaiting }: Notification): boolean {
  // A recruit who was answered since waits no more.
  return urgent || NOTICES.includes(kind) && (kind !== "recruit_waiting" || isWaiting);
}

/** The agent has read notifications, which go at once. */
export function useReadNotification(agentId: string) {
  return useMutation({
    mutationFn: (notification_ids: string[]) => repeat(() => supabase.rpc("mark_read", { notification_ids })),
    onMutate: (ids) =>
      changeData<Notification[]>(
        notificationQueries.unread(agentId).queryKey,
        (unread) => unread.filter(({ id }) => !ids.includes(id)),
      ),
    onError: (_error, _ids, rollBack) => rollBack?.(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: notificationQueries.all() }),
  });
}

/** A person's first and last name; empty where neither is known. */
export function nameOf(person: Person | null): string {
  return [person?.first_name, person?.last_name].join(" ").trim();
}

function notifications() {
  return supabase.from("agent_notifications").select(COLUMNS).order("created_at", { ascending: false });
}

function read({ lead, conversation, ...row }: Row): Notification {
  const recruit = lead ?? conversation?.lead ?? null;
  return {
    ...row,
    recruit,
    isWaiting: conversation?.waiting_since != null,
    hasNoAgent: recruit !== null && recruit.agent_id === null && conversation?.assigned_agent_id == null,
  };
}
