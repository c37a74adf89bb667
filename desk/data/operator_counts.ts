import { queryOptions } from "@tanstack/react-query";
import { call, supabase } from "./client.ts";

type Counts = Record<"alerts" | "deliveries" | "leads" | "recruits" | "texts", number>;

/** How much waits for an operator, for the rail and the operator's tabs; null: the user is not an operator any more. */
export const operatorCounts = () =>
  queryOptions({
    queryKey: ["operator", "counts"],
    queryFn: async () => await call(supabase.from("operator_counts").select().maybeSingle()) as Counts | null,
    staleTime: 60_000,
    refetchInterval: 60_000,
    refetchOnWindowFocus: true,
    refetchOnReconnect: true,
  });
