import { STATES } from "../../supabase/functions/_shared/states.ts";
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

export const TYPES = ["fwk", "csk", "br", "union", "ncr", "pos", "dcard", "fe", "globe"];

/** The sales leads of a list. Null: those of every agent, state or type. */
export interface LeadFilter {
  agency_id: string;
  agent_id: string | null;
  /** The code of a state. */
  state: string | null;
  type: string | null;
  /** The words that the user looks for. */
  typed: string;
}

export const leadQueries = {
  /** Sales leads, newest first. */
  list: ({ agency_id, agent_id, state, type, typed }: LeadFilter) =>
    pagesOptions<Lead>(["leads", agency_id, agent_id, state, type, typed], async (limit, last) => {
      let query = supabase.from("leads")
        .select(`id, agent_id, first_name, last_name, phone, phone_e164, state, type, stage, created_at,
          agents(first_name, last_name), lead_metrics(presentations_submitted, sales, last_activity_at)`)
        .eq("agency_id", agency_id);
      if (agent_id !== null) query = query.eq("agent_id", agent_id);
      if (type !== null) query = query.eq("type", type);
      // A state stands as it was sent: as its code, or by its name.
      const names = STATES.filter(({ code }) => code === state).map(({ name }) => name);
      if (state !== null) query = query.or([state, ...names].map((words) => `state.ilike."${words}"`).join());
      const columns = { names: ["first_name", "last_name"], phones: ["phone", "phone_e164"] };
      return await call(search(after(query, last), typed, columns).limit(limit));
    }),
};
