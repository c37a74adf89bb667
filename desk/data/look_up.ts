import { queryOptions, skipToken, useMutation } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { asOperator, operatorQueries, readAgain } from "./operator.ts";
import type { UnsentText } from "./operator_rows.ts";
import type { TriedOrder } from "./operator_orders.ts";
import { queryClient } from "./queries.ts";

/** A lead of either kind, or a rejected delivery, that a search has found. */
export interface FoundLead {
  kind: "recruiting" | "sales" | "delivery";
  id: string;
  /** The vendor's slug, or the source of sales leads. */
  sender: string | null;
  sender_id: string | null;
  name: string | null;
  phone: string | null;
  email: string | null;
  /** The distribution, the status, or the status and reason of a delivery. */
  state: string | null;
  /** Who has a recruiting lead. */
  agency: string | null;
  agent: string | null;
  received: string;
}

/** What a search has found. */
export interface FoundLeads {
  /** What the operator has typed. */
  typed: string;
  at: string;
  /** Up to 20 of each kind, the newest first. */
  found: FoundLead[];
  /** The kinds of which there are more. */
  cut: FoundLead["kind"][];
}

/** A lead with its history, and for a recruiting lead why each order would get it or not. */
export interface ShownLead {
  kind: "recruiting" | "sales";
  lead: Record<string, unknown> & {
    id: string;
    name: string;
    /** The vendor's slug; of a recruiting lead alone. */
    vendor?: string;
    /** Of a sales lead alone. */
    source?: string;
    vendor_lead_id?: string | null;
    phone: string | null;
    email: string | null;
    state: string | null;
    distribution?: string;
    /** What the vendor has said besides; of a recruiting lead alone. */
    vendor_metadata?: Record<string, unknown> & { answers?: { question: string | null; answer: unknown }[] };
    agency: string | null;
    agent: string | null;
  };
  timeline: { at: string; event: string; detail: string | null }[];
  explained: {
    as_of: string;
    lead: { agency_id: string | null; order_id: string | null; distributed_at: string | null };
    orders: TriedOrder[];
  } | null;
}

/**
 * The latest search of this page. It is kept in the memory of the page alone, and not in its address or a storage: what
 * is typed may be a person's, who may be erased.
 */
export const latestSearch = queryOptions({
  queryKey: ["latest search"],
  queryFn: skipToken as unknown as () => FoundLeads,
  staleTime: Infinity,
  gcTime: Infinity,
});

/** Looks for leads by what an operator has typed. That it is a phone, say, is noted with the operator's name. */
export function useSearchLeads() {
  return useMutation({
    mutationFn: async (search: string) => {
      const by = search.includes("@") ? "email" : /^[\d\s().+-]+$/.test(search) ? "phone" : "words";
      const action_id = await begin("lead find", { by });
      const result = await call(supabase.rpc("search_leads", { action_id, search }));
      return result as unknown as Pick<FoundLeads, "found" | "cut">;
    },
    onSuccess: (result, typed) =>
      queryClient.setQueryData(latestSearch.queryKey, { ...result, typed, at: new Date().toISOString() }),
  });
}

/** Reads a lead, which is noted with the operator's name. */
export function useReadLead() {
  return useMutation({
    mutationFn: async (lead_id: string) => {
      const action_id = await begin("lead show", { lead_id });
      return await call(supabase.rpc("read_lead", { action_id })) as unknown as ShownLead;
    },
  });
}

/** The greeting of a lead that the provider does not have, and why; null: it is sent, or there is none. */
export const greetingOf = (lead_id: string) =>
  queryOptions({
    queryKey: [...operatorQueries.all(), "greeting", lead_id],
    queryFn: async () => {
      const query = supabase.from("outbox_list").select().eq("lead_id", lead_id).eq("kind", "greeting");
      return await asOperator(call(query.order("created_at").limit(1).maybeSingle())) as UnsentText | null;
    },
  });

/** Takes a lead back from the agency that got it, for good. */
export function useReturnLead() {
  return useMutation({
    mutationFn: (given: { lead_id: string; reason: string }) =>
      call(supabase.rpc("return_lead", given)) as unknown as Promise<{ agency: string; texts: number }>,
    onSuccess: () => void readAgain(),
  });
}

async function begin(action: string, subject: Record<string, string>): Promise<string> {
  return await asOperator(call(supabase.rpc("begin_operator_action", { action, subject })));
}
