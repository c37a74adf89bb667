import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { noticeQueries } from "./notices.ts";

/** A notification as the page shows it: who it is about, and no words of a text. */
export interface News {
  id: string;
  kind: string;
  /** With `handoff`: `assigned`, or why the bot has ended. */
  reason: string | null;
  conversation_id: string | null;
  lead_id: string | null;
  created_at: string;
  /** How many more conversations went to another agent with this one; null: none. */
  others: number | null;
  /** The first name of the recruit; null: it is not known, or not the user's to read. */
  recruit: string | null;
  /** The first name of the colleague whose act it is about; null: there is none. */
  by: string | null;
}

/** The number of the latest notifications among which new ones are looked for. */
const LATEST = 20;
const COLUMNS = "id, kind, reason, conversation_id, lead_id, created_at, others, " +
  "by:agents!agent_notifications_by_agent_id_fkey(first_name), lead:recruiting_leads(first_name), " +
  "conversation:recruiting_conversations(lead:recruiting_leads(first_name))";

type Named = { first_name: string | null } | null;
type Row = Omit<News, "recruit" | "by"> & { by: Named; lead: Named; conversation: { lead: Named } | null };

export const newsQueries = {
  /** The latest notifications that an agent has not read. */
  latest: (agentId: string) =>
    queryOptions({
      queryKey: [...noticeQueries.all(), "latest", agentId],
      queryFn: async (): Promise<News[]> => {
        const rows = await call(
          supabase.from("agent_notifications").select(COLUMNS).is("read_at", null)
            .order("created_at", { ascending: false }).limit(LATEST),
        ) as unknown as Row[];
        return rows.map(({ by, lead, conversation, ...row }) => ({
          ...row,
          recruit: (lead ?? conversation?.lead)?.first_name ?? null,
          by: by?.first_name ?? null,
        }));
      },
    }),
};
