import { call, supabase } from "./client.ts";
import { after, pagesOptions, search } from "./pages.ts";

/** A sales lead, as the list shows it. */
export interface Lead {
  id: string;
  agent_id: string;
  first_name: string;
  last_name: string | null;
  /** The number as it was sent. */
  phone: string;
  phone_e164: string | null;
  state: string;
  type: string;
  stage: string;
  created_at: string;
  agents: { first_name: string; last_name: string | null } | null;
  lead_metrics: { presentations_submitted: number; sales: number; last_activity_at: string | null } | null;
}

export const leadQueries = {
  /** The sales leads of an agency, newest first. `agent_id` null: those of every agent. */
  list: (agency_id: string, agent_id: string | null, typed: string) =>
    pagesOptions<Lead>(["leads", agency_id, agent_id, typed], async (limit, last) => {
      let query = supabase.from("leads")
        .select(`id, agent_id, first_name, last_name, phone, phone_e164, state, type, stage, created_at,
          agents(first_name, last_name), lead_metrics(presentations_submitted, sales, last_activity_at)`)
        .eq("agency_id", agency_id);
      if (agent_id !== null) query = query.eq("agent_id", agent_id);
      const columns = { names: ["first_name", "last_name"], phones: ["phone", "phone_e164"] };
      return await call(search(after(query, last), typed, columns).limit(limit));
    }),
};
