import { queryOptions } from "@tanstack/react-query";
import { call, repeat, supabase } from "./client.ts";
import { type InboxRow, readInboxRows } from "./inbox.ts";
import { isId, type RowsMeta } from "./pages.ts";
import type { Agent } from "./user.ts";

/** A conversation that is open. */
export type Conversation = InboxRow;

/** Since when the recruit must not be texted. */
export interface OptOut {
  at: string;
  /** `keyword` or `wording`: the recruit's own text; `provider`, `manager` or `admin`: said elsewhere. */
  source: string;
  /** The recruit's own text; null: it is not in this conversation. */
  words: string | null;
}

/** When a text that is written now would be sent, as `text_hours_of` has it. */
export interface TextHours {
  /** Now, by the service's clock. */
  at: string;
  /** The same, or when the quiet hours end: `infinity`, where no day is open. */
  opens_at: string;
  /** When they begin; null: the recruit has just written, and may be answered at any hour. */
  closes_at: string | null;
  /** Where the recruit may live: one time zone of each time of day. */
  timezones: string[];
}

export const conversationQueries = {
  all: () => ["conversations"],
  /** The hours for texts to the recruit. Read when they change, and not after each event. */
  hours: (id: string) =>
    queryOptions({
      queryKey: ["text hours", id],
      queryFn: async () =>
        await repeat(() => supabase.rpc("text_hours_of", { conversation_id: id })) as unknown as TextHours,
      refetchInterval: ({ state: { data } }) => data === undefined ? false : untilChange(data),
    }),
  /** A conversation; null: there is none of this id that the agent may read. */
  detail: (id: string) =>
    queryOptions({
      queryKey: [...conversationQueries.all(), id],
      queryFn: async () => isId(id) ? (await readInboxRows([id]))[0] ?? null : null,
      meta: {
        rows: {
          readThese: readInboxRows,
          place: (before, ids, rows) => ids.includes(id) ? rows.find((row) => row.id === id) ?? null : before,
        } satisfies RowsMeta<Conversation, Conversation | null>,
      },
    }),
  /** The opt-out of the recruit; null: it is not known. */
  optOut: (conversation: Conversation) =>
    queryOptions({
      queryKey: ["opt-outs", conversation.id],
      queryFn: () => readOptOut(conversation),
      enabled: conversation.is_opted_out,
      // The recruit may have opted in and out again.
      staleTime: 0,
    }),
};

/** The milliseconds until the quiet hours begin or end: an hour at most, for a timer. */
function untilChange({ at, opens_at, closes_at }: TextHours): number {
  const change = Date.parse(opens_at > at ? opens_at : closes_at ?? "") - Date.now();
  return change > 0 && change < 3_600_000 ? change + 1_000 : 3_600_000;
}

async function readOptOut({ id, agency_id, recruit_phone }: InboxRow): Promise<OptOut | null> {
  const consent = await call(
    supabase.from("text_consents").select("changed_at, source").eq("agency_id", agency_id).eq("phone", recruit_phone)
      .maybeSingle(),
  );
  if (consent === null) return null;
  const { changed_at: at, source } = consent;
  if (source !== "keyword" && source !== "wording") return { at, source, words: null };
  // The consent is recorded in a moment with the text that it is in. Only managers read the record that has its words.
  const said = await call(
    supabase.from("recruiting_messages").select("body").eq("conversation_id", id).eq("direction", "inbound")
      .lte("created_at", at).gte("created_at", new Date(Date.parse(at) - 60_000).toISOString())
      .order("created_at", { ascending: false }).limit(1),
  );
  return { at, source, words: said[0]?.body ?? null };
}

/** Whether the agent may write in a conversation, as send_text() decides. */
export function mayWrite({ id, role }: Agent, { assigned_agent_id, agent_id }: InboxRow): boolean {
  return role === "manager" || assigned_agent_id === id || assigned_agent_id === null && agent_id === id;
}

/** The id of the agent who is to answer in a conversation; null: nobody, or it is not the user's to read. */
export async function ownerOf(id: string): Promise<string | null> {
  const row = await (call(supabase.from("inbox").select("agent_id").eq("id", id).maybeSingle()) as Promise<
    Pick<InboxRow, "agent_id"> | null
  >);
  return row?.agent_id ?? null;
}

/** Asks the manager who has the conversation to give it to the user. */
export async function askForConversation(conversation_id: string): Promise<void> {
  await repeat(() => supabase.rpc("ask_for_conversation", { conversation_id }));
}
