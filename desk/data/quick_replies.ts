import { queryOptions, useMutation } from "@tanstack/react-query";
import { call, repeat, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** A quick reply as managers and operators keep it, with its placeholders. */
export interface QuickReply {
  id: string;
  shortcut: string;
  body: string;
  updated_at: string;
}

/** A quick reply to one recruit, with the names in the place of the placeholders. */
export type FilledReply = Pick<QuickReply, "id" | "shortcut" | "body">;

export const quickReplyQueries = {
  all: () => ["quick-replies"],
  /** Those of an agency, by shortcut. */
  list: (agency_id: string) =>
    pagesOptions<QuickReply>([...quickReplyQueries.all(), "list", agency_id], async (limit, last) => {
      const query = supabase.from("quick_reply_list").select("id, shortcut, body, updated_at").eq(
        "agency_id",
        agency_id,
      );
      return await call(after(query, last, "shortcut", true).limit(limit)) as QuickReply[];
    }),
  /** Those of the agency for the recruit of a conversation, by shortcut. */
  to: (conversation_id: string) =>
    queryOptions({
      queryKey: [...quickReplyQueries.all(), "to", conversation_id],
      queryFn: async () =>
        await repeat(() => supabase.rpc("quick_replies_to", { conversation_id })) as unknown as FilledReply[],
    }),
};

/** Stores a new quick reply of an agency, or another shortcut and body of one as the user has `seen` it. */
export function useSaveQuickReply(agency_id: string) {
  return useMutation({
    // Not repeated by itself: a new one would find its own shortcut taken.
    mutationFn: ({ seen, ...given }: Pick<QuickReply, "shortcut" | "body"> & { seen: QuickReply | null }) =>
      call(
        supabase.rpc("save_quick_reply", {
          ...given,
          ...(seen === null ? { agency_id } : { quick_reply_id: seen.id, seen_at: seen.updated_at }),
        }),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: quickReplyQueries.all() }),
  });
}

/** Deletes a quick reply. */
export async function deleteQuickReply(quick_reply_id: string): Promise<void> {
  await call(supabase.rpc("delete_quick_reply", { quick_reply_id })).finally(() =>
    queryClient.invalidateQueries({ queryKey: quickReplyQueries.all() })
  );
}
