import { useMutation } from "@tanstack/react-query";
import { readRowsAgain } from "./changes.ts";
import { call, repeat, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";
import { recruitQueries } from "./recruits.ts";

/** Something that has happened with a recruit. `id` is unique among those of one recruit. */
export type RecruitEvent =
  & { id: string; at: string; agent_id: string | null; agent: string | null }
  & (
    | { kind: "received" | "distributed"; details: Record<string, never> }
    | { kind: "text_in"; details: TextIn }
    | { kind: "text_out"; details: TextOut }
    /** A greeting that was not made. */
    | { kind: "never_queued"; details: { reason: string } }
    /** An opt-in or opt-out. Without an agent the recruit said it, or an operator recorded it. */
    | { kind: "consent"; details: { state: "opted_in" | "opted_out"; source: string; reason: string | null } }
    /** The bot has ended, and no person goes on. */
    | { kind: "bot_ended"; details: { reason: string } }
    /** An answer to the bot. */
    | { kind: "answer"; details: { question: string; value: unknown; said: string } }
    | { kind: "note"; details: { body: string } }
    /** Without an agent the bot has set it. */
    | { kind: "stage"; details: { stage: string } }
    /** A conversation went to another agent, to the bot or from it. Without an agent the bot or an operator did it. */
    | {
      kind: "hands";
      details: {
        status: "bot" | "escalated";
        from: string | null;
        from_agent_id: string | null;
        to: string | null;
        to_agent_id: string | null;
        /** Why the bot gave it away. */
        reason: string | null;
      };
    }
    /** An operator or a manager gave the recruit to another agent. */
    | { kind: "given"; details: { from: string | null; to: string | null } }
    | { kind: "call"; details: { call_id: string; outcome: Outcome | null } }
  );

/** A text of the recruit. */
export interface TextIn {
  conversation_id: string;
  body: string | null;
  /** The number of its files. */
  files: number;
  /** How the bot read it; null: it did not. */
  heard: string | null;
}

/** One of our texts, and how far it has come. */
export interface TextOut {
  conversation_id: string;
  body: string | null;
  files: number;
  by: "bot" | "agent";
  state: "held" | "due" | "sending" | "unconfirmed" | "refused" | "sent" | "delivered" | "failed";
  /** Since when; null while it waits. */
  state_at: string | null;
  /** As in the outbox, or the provider's code. */
  reason: string | null;
  /** Until when it is held. */
  until: string | null;
}

/** The ways in which a call may end. */
export const OUTCOMES = ["reached", "no_answer", "left_message", "wrong_number"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const timelineQueries = {
  /**
   * What has happened with a recruit, the latest first. `besides`: without what stands in this conversation or beside it:
   * its texts, notes, and the answers to the bot.
   */
  list: (id: string, besides?: string) =>
    pagesOptions<RecruitEvent>([...recruitQueries.timeline(id), besides], async (limit, last, ids) => {
      let query = supabase.from("recruit_timeline").select("id, at, kind, agent_id, agent, details")
        .eq("recruiting_lead_id", id);
      if (besides) {
        query = query.filter("details->>conversation_id", "isdistinct", besides).not("kind", "in", "(answer,note)");
      }
      if (ids !== null) query = query.in("id", ids);
      return await call(after(query, last, "at").limit(limit)) as unknown as RecruitEvent[];
    }, { order: { column: "at", ascending: false } }),
};

/** Says that the user has dialled the number of a recruit, or how that call went. The same id is the same call. */
export function useRecordCall(recruiting_lead_id: string) {
  return useMutation({
    mutationFn: ({ call_id, outcome }: { call_id: string; outcome?: Outcome }) =>
      repeat(() => supabase.rpc("record_call", { recruiting_lead_id, call_id, outcome })),
    onSettled: (_called, _error, { call_id }) =>
      readRowsAgain([recruitQueries.timeline(recruiting_lead_id)], [`call:${call_id}`]),
  });
}
