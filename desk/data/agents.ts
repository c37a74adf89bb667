import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";

export const agentQueries = {
  all: () => ["agents"],
  /**
   * The active agents of an agency, by name.
   *
   * @param view `agent_list` for its managers and operators
   */
  active: (agency_id: string, view: "agents" | "agent_list" = "agents") =>
    queryOptions({
      queryKey: [...agentQueries.all(), agency_id, view],
      queryFn: async () => {
        const agents = await call(
          supabase.from(view as "agents").select("id, first_name, last_name").eq("agency_id", agency_id).is(
            "is_active",
            true,
          )
            .order("first_name").order("last_name").order("id"),
        );
        return agents.map(({ id, first_name, last_name }) => ({ id, name: [first_name, last_name].join(" ").trim() }));
      },
    }),
  /** The names of agents. They rarely change, so they are read once and kept until unused for five minutes. */
  names: (ids: string[]) =>
    queryOptions({
      queryKey: ["agent names", ids],
      queryFn: () => call(supabase.from("agents").select("id, first_name, last_name").in("id", ids)),
      staleTime: Infinity,
      // The query that asks for them retries.
      retry: false,
    }),
};
