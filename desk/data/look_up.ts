import { useMutation } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { readAgain } from "./operator.ts";

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
  received: string;
}

/** A lead with its history, and for a recruiting lead why each order would get it or not. */
export interface ShownLead {
  kind: "recruiting" | "sales";
  lead: Record<string, unknown> & { id: string; name: string };
  timeline: { at: string; event: string; detail: string | null }[];
  explained: {
    as_of: string;
    orders: {
      order_id: string;
      agency: string;
      filled: number;
      quantity: number;
      gets_it: boolean;
      reason: string | null;
    }[];
  } | null;
}

/** Looks for leads by what an operator has typed. That it is a phone, say, is noted with the operator's name. */
export function useSearchLeads() {
  return useMutation({
    mutationFn: async (search: string) => {
      const by = search.includes("@") ? "email" : /^[\d\s().+-]+$/.test(search) ? "phone" : "words";
      const action_id = await begin("search_leads", { by });
      return await call(supabase.rpc("search_leads", { action_id, search })) as unknown as FoundLead[];
    },
  });
}

/** Reads a lead, which is noted with the operator's name. */
export function useReadLead() {
  return useMutation({
    mutationFn: async (lead_id: string) => {
      const action_id = await begin("read_lead", { lead_id });
      return await call(supabase.rpc("read_lead", { action_id })) as unknown as ShownLead;
    },
  });
}

/** Takes a lead back from the agency that got it, for good. */
export function useReturnLead() {
  return useMutation({
    mutationFn: (given: { lead_id: string; reason: string }) =>
      call(supabase.rpc("return_lead", given)) as unknown as Promise<{ agency: string; texts: number }>,
    onSuccess: () => void readAgain(),
  });
}

async function begin(action: string, subject: Record<string, string>): Promise<string> {
  return await call(supabase.rpc("begin_operator_action", { action, subject })) as string;
}
