import { queryOptions, useMutation } from "@tanstack/react-query";
import { changeData } from "./changes.ts";
import { call, repeat, supabase } from "./client.ts";
import { isId } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** A notice about a conversation: what a colleague has done with it or asks for, or that its recruit waits. */
export interface Notice {
  id: string;
  /**
   * `taken_over`: the colleague has it now. `asked_for`: the colleague asks for it. `recruit_waiting`: the recruit has
   * waited for an answer for long.
   */
  kind: (typeof KINDS)[number];
  conversation_id: string;
  /** The colleague; null: the notice is about none. */
  by_agent_id: string | null;
  /** The colleague's name. */
  by: string;
  /** How many more conversations went to the colleague with this one; null: none. */
  others: number | null;
  /** The recruit's name; null: the user does not read the conversation any more. */
  recruit: string | null;
}

/** The latest notices that an agent has not read. */
interface Unread {
  notices: Notice[];
  hasMore: boolean;
}

const KINDS = ["taken_over", "asked_for", "recruit_waiting"] as const;
/** More than these are shown when some of them are read. */
const MOST = 3;
type Named = { first_name: string; last_name: string | null } | null;
const COLUMNS = "id, kind, conversation_id, by_agent_id, others, " +
  "by:agents!agent_notifications_by_agent_id_fkey(first_name, last_name)";

export const noticeQueries = {
  all: () => ["notices"],
  unread: (agentId: string) =>
    queryOptions({
      queryKey: [...noticeQueries.all(), "unread", agentId],
      queryFn: async (): Promise<Unread> => {
        const rows = await call(
          notices(`${COLUMNS}, conversation:recruiting_conversations(lead:recruiting_leads(first_name, last_name)),
            waiting:recruiting_conversations(id)`)
            .is("read_at", null).in("kind", KINDS)
            // A recruit who was answered since waits no more.
            .not("waiting.waiting_since", "is", null).or("kind.neq.recruit_waiting,waiting.not.is.null")
            .limit(MOST + 1),
        ) as unknown as (Row & { conversation: { lead: Named } | null })[];
        return {
          notices: rows.slice(0, MOST).map(({ conversation, ...row }) => ({
            ...noticeOf(row),
            recruit: conversation?.lead ? nameOf(conversation.lead) : null,
          })),
          hasMore: rows.length > MOST,
        };
      },
    }),
  /** The notice about who has taken over a conversation of the user's; null: nobody has. */
  takeover: (conversationId: string) =>
    queryOptions({
      queryKey: [...noticeQueries.all(), "takeover", conversationId],
      queryFn: async (): Promise<Notice | null> => {
        if (!isId(conversationId)) return null;
        const [row] = await call(
          notices().eq("conversation_id", conversationId).eq("kind", "taken_over").limit(1),
        ) as unknown as Row[];
        return row === undefined ? null : noticeOf(row);
      },
    }),
};

/** The agent has read a notice, which goes at once. */
export function useReadNotice(agentId: string) {
  return useMutation({
    mutationFn: (id: string) => repeat(() => supabase.rpc("mark_read", { notification_ids: [id] })),
    onMutate: (id) =>
      changeData<Unread>(noticeQueries.unread(agentId).queryKey, ({ notices, hasMore }) => ({
        notices: notices.filter((n) => n.id !== id),
        hasMore,
      })),
    onError: (_error, _id, rollBack) => rollBack?.(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: noticeQueries.all() }),
  });
}

/** The further conversations of a notice, in words: " and 2 more". */
export function moreText(others: number | null): string {
  return others === null ? "" : ` and ${others} more`;
}

type Row = Omit<Notice, "by" | "recruit"> & { by: Named };

function notices(columns = COLUMNS) {
  return supabase.from("agent_notifications").select(columns).order("created_at", { ascending: false });
}

function noticeOf({ by, ...row }: Row): Notice {
  return { ...row, by: nameOf(by), recruit: null };
}

function nameOf(person: Named): string {
  return [person?.first_name, person?.last_name].join(" ").trim();
}
