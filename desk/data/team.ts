import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";

/** An agent of the agency, as the view `team` has it. */
export interface Member {
  id: string;
  first_name: string;
  last_name: string | null;
  role: "agent" | "manager";
  is_active: boolean;
  accepts_recruits: boolean;
  has_login: boolean;
  /** Conversations that wait for an answer of the agent. */
  waiting: number;
  /** The number of these that the agent has not read. */
  unread: number;
  waiting_since: string | null;
  recruits_7_days: number;
}

/** A number that texts are sent from. */
export interface ServiceNumber {
  phone: string;
  status: "active" | "paused";
  paused_reason: string | null;
}

/** The figures of the agency, as agency_figures() returns them. */
export interface Figures {
  /** The first of the days, in the time zone of the agency. */
  first_day: string;
  days: number;
  /** The number of leads of each day. */
  vendors: { vendor: string; leads: number[] }[];
  /** In minutes of the agency's hours; null: nobody was answered. */
  first_response: { recruits: number; answered: number; median: number | null; ninety: number | null };
  waiting: { recruits: number; since: string | null };
  opt_outs: number;
  failed: number;
}

export const teamQueries = {
  all: () => ["team"],
  figures: () =>
    queryOptions({
      queryKey: [...teamQueries.all(), "figures"],
      queryFn: async () => await call(supabase.rpc("agency_figures", { days: 14 })) as unknown as Figures,
    }),
  /** The agents of a manager's agency, by name. */
  members: (agency_id: string) =>
    pagesOptions<Member>([...teamQueries.all(), agency_id], async (limit, last) => {
      const query = supabase.from("team").select().eq("agency_id", agency_id).limit(limit);
      return await call(after(query, last, "first_name", true)) as Member[];
    }),
};

export const numberQueries = {
  /** The numbers of a manager's agency. */
  list: (agency_id: string) =>
    pagesOptions<ServiceNumber>(["numbers", agency_id], async (limit, last) =>
      await call(
        supabase.from("service_numbers").select("phone, status, paused_reason").eq("agency_id", agency_id)
          .gt("phone", last?.phone ?? "").order("phone").limit(limit),
      ) as ServiceNumber[]),
};
