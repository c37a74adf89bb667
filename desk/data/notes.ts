import { queryOptions, useMutation } from "@tanstack/react-query";
import { changeData } from "./changes.ts";
import { call, repeat, supabase } from "./client.ts";
import { after } from "./pages.ts";
import { queryClient } from "./queries.ts";
import type { Agent } from "./user.ts";

/** A note about a recruit. Nobody sends it. */
export interface Note {
  id: string;
  /** The agent who wrote it. */
  agent_id: string;
  author: { first_name: string; last_name: string | null };
  body: string;
  created_at: string;
}

/** The longest note, in UTF-16 units. */
export const MAX_NOTE_LENGTH = 4000;

/** The most notes that are read at once. */
const MOST = 999;

export const noteQueries = {
  all: () => ["notes"],
  /** All notes about a recruit, the first one first. */
  list: (leadId: string) =>
    queryOptions({ queryKey: [...noteQueries.all(), leadId], queryFn: () => readNotes(leadId) }),
};

async function readNotes(leadId: string): Promise<Note[]> {
  const notes: Note[] = [];
  for (let last: Note | null = null;; last = notes.at(-1)!) {
    const query = supabase.from("recruit_notes")
      .select("id, agent_id, body, created_at, author:agents(first_name, last_name)").eq("recruiting_lead_id", leadId);
    const rows = await call(after(query, last, "created_at", true).limit(MOST)) as Note[];
    notes.push(...rows);
    if (rows.length < MOST) return notes;
  }
}

/** Adds a note about a recruit. Repeated with the same id it is one note. */
export function useAddNote(recruiting_lead_id: string, { id: agent_id, ...author }: Agent) {
  const { queryKey } = noteQueries.list(recruiting_lead_id);
  return useMutation({
    mutationFn: ({ id, body }: Pick<Note, "id" | "body">) =>
      repeat(() => supabase.rpc("add_note", { recruiting_lead_id, body, note_id: id })),
    onMutate: ({ id, body }) =>
      changeData<Note[]>(queryKey, (notes) => [
        ...notes.filter((note) => note.id !== id),
        { id, agent_id, author, body, created_at: new Date().toISOString() },
      ]),
    onError: (_error, _note, rollBack) => rollBack?.(),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
}
