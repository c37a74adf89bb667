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

type Pulse = Record<"leads" | "leads_before" | "distributed" | "texts" | "texts_failed" | "dispatches_failed", number>;

/** How the service does today. */
export const operatorPulse = () =>
  queryOptions({
    queryKey: ["operator", "pulse"],
    queryFn: async () => await call(supabase.rpc("operator_pulse").single()) as Pulse,
    staleTime: 60_000,
    refetchInterval: 60_000,
    refetchOnWindowFocus: true,
  });
