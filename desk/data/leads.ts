import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { STATES } from "../../supabase/functions/_shared/states.ts";
import { call, supabase } from "./client.ts";
import { COUNT, counted } from "./count.ts";
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

/** The sales leads of a list. Null: those of every agent, state, type or stage. */
export interface LeadFilter {
  agency_id: string;
  agent_id: string | null;
  /** The code of a state. */
  state: string | null;
  type: string | null;
  stage: string | null;
  /** The words that the user looks for. */
  typed: string;
  /** Whether the oldest come first. */
  ascending: boolean;
}

export const leadQueries = {
  /** Sales leads, ordered by when they came. */
  list: (filter: LeadFilter) =>
    pagesOptions<Lead>(
      ["leads", filter],
      async (limit, last) => await call(after(select(filter), last, "created_at", filter.ascending).limit(limit)),
    ),
  /** The stages of the sales leads of an agency, by name. */
  stages: (agency_id: string) =>
    queryOptions({
      queryKey: ["leads", "stages", agency_id],
      queryFn: async () => {
        const rows = await call(supabase.from("lead_stages").select("stage").eq("agency_id", agency_id).order("stage"));
        return rows.map(({ stage }) => stage!);
      },
    }),
  /** The number of sales leads of a list. */
  count: (filter: LeadFilter) =>
    queryOptions({
      queryKey: ["leads", "count", { ...filter, ascending: null }],
      queryFn: () => counted(select(filter, COUNT)),
      placeholderData: keepPreviousData,
    }),
};

/** Selects the sales leads of a list, or with `COUNT` only counts them. */
function select({ agency_id, agent_id, state, type, stage, typed }: LeadFilter, options?: typeof COUNT) {
  let query = supabase.from("leads")
    .select(
      `id, agent_id, first_name, last_name, phone, phone_e164, state, type, stage, created_at,
      agents(first_name, last_name), lead_metrics(presentations_submitted, sales, last_activity_at)`,
      options,
    )
    .eq("agency_id", agency_id);
  if (agent_id !== null) query = query.eq("agent_id", agent_id);
  if (type !== null) query = query.eq("type", type);
  if (stage !== null) query = query.eq("stage", stage);
  // A state stands as it was sent: as its code, or by its name.
  const names = STATES.filter(({ code }) => code === state).map(({ name }) => name);
  if (state !== null) query = query.or([state, ...names].map((words) => `state.ilike."${words}"`).join());
  return search(query, typed, { names: ["first_name", "last_name"], phones: ["phone", "phone_e164"] });
}
