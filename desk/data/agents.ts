import { useQuery } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";
import type { Agent } from "./user.ts";

/** The active agents of the agency, by name. */
export function useActiveAgents({ agency_id }: Agent) {
  return useQuery({
    queryKey: ["agents", agency_id],
    queryFn: async () => {
      const agents = await call(
        supabase.from("agents").select("id, first_name, last_name").eq("agency_id", agency_id).is("is_active", true)
          .order("first_name").order("last_name").order("id"),
      );
      return agents.map(({ id, first_name, last_name }) => ({ id, name: [first_name, last_name].join(" ").trim() }));
    },
  });
}
