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

export const teamQueries = {
  all: () => ["team"],
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
