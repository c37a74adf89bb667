import { queryOptions, useMutation } from "@tanstack/react-query";
import { call, repeat, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";
import { queryClient } from "./queries.ts";

/** An order of the agency with its pace, as the view `order_pace` has it. */
export interface Order {
  id: string;
  /** Null: of any vendor. */
  vendor: string | null;
  /** Null: the agency's agents take turns. */
  agent: string | null;
  /** Null: any. */
  states: string[] | null;
  quantity: number;
  filled: number;
  status: "open" | "paused" | "filled" | "closed";
  priority: number;
  daily_cap: number | null;
  has_greeting: boolean;
  greeting_template: string | null;
  starts_at: string | null;
  ends_at: string | null;
  created_at: string;
  leads_today: number;
  leads_7_days: number;
  /** Null: it is too young for a pace. */
  per_day: number | null;
  /** Null: it is not open, gets no leads, or is too young for a pace. */
  full_in_days: number | null;
  /** The latest changes by managers, the last first. */
  changes: OrderChange[];
}

/** Why an order gets no leads now, or fewer, as `order_standings` has it. */
export interface OrderStanding {
  order_id: string;
  standing: "capped" | "vendor_inactive" | "no_agent" | "behind" | "others" | "partly";
  /** The agency's orders that go before it. */
  behind: Pick<Order, "id" | "vendor" | "states">[];
  agency: string;
  agency_id: string;
  /** When it got its last lead, else when it began. */
  since: string;
}

/** What a manager has changed of an order. */
export interface OrderChange {
  at: string;
  by: string;
  before: OrderChanges;
  after: OrderChanges;
}

export const orderQueries = {
  all: () => ["orders"],
  /** The orders of a manager's agency, newest first: those that may still get leads, or those that get no more. */
  list: (agency_id: string, isDone: boolean) =>
    pagesOptions<Order>([...orderQueries.all(), agency_id, isDone], async (limit, last) => {
      const query = supabase.from("order_pace").select().eq("agency_id", agency_id)
        .in("status", isDone ? ["filled", "closed"] : ["open", "paused"]).limit(limit);
      return await call(after(query, last)) as unknown as Order[];
    }),
  /** The open orders of the manager's agency, or for operators of all, that get no leads now, or fewer. Not read at each lead. */
  standings: (of_all = false) =>
    queryOptions({
      queryKey: ["order standings", of_all],
      queryFn: async () => await call(supabase.rpc("order_standings", { of_all })) as unknown as OrderStanding[],
      refetchInterval: 60_000,
    }),
  /** One order; null: there is none, or it is another agency's. */
  one: (id: string) =>
    queryOptions({
      queryKey: [...orderQueries.all(), "one", id],
      queryFn: async () =>
        await call(supabase.from("order_pace").select().eq("id", id).maybeSingle()) as unknown as Order | null,
    }),
};

/** A row of `order_changes`. */
export interface StoredChange extends OrderChange {
  id: string;
  created_at: string;
}

export const changeQueries = {
  /** All changes of an order by managers, the latest first. */
  list: (order_id: string) =>
    pagesOptions<StoredChange>([...orderQueries.all(), "changes", order_id], async (limit, last) => {
      const query = supabase.from("order_changes").select(
        "id, created_at, before, after, agents(first_name, last_name)",
      )
        .eq("order_id", order_id).limit(limit);
      const rows = await call(after(query, last)) as unknown as (StoredChange & { agents: Record<string, string> })[];
      return rows.map(({ agents: { first_name, last_name }, ...row }) => ({
        ...row,
        at: row.created_at,
        by: [first_name, last_name].join(" ").trim(),
      }));
    }),
};

/** The parts of an order that a manager may change. */
export interface OrderChanges {
  status?: "open" | "paused";
  daily_cap?: number | null;
  states?: string[] | null;
  greeting_template?: string | null;
}

/** Those that an operator may change. */
export interface OperatorChanges {
  status?: string;
  daily_cap?: number | null;
  greeting_template?: string | null;
  quantity?: number;
}

/** Changes orders, each as the user has seen it, so that nobody else's change is undone. Throws the first refusal. */
export function useChangeOrders() {
  return useMutation({
    mutationFn: async ({ orders, changes }: { orders: { id: string }[]; changes: OrderChanges | OperatorChanges }) => {
      const change = (seen: { id: string }) =>
        repeat(() => supabase.rpc("change_order", { order_id: seen.id, changes: { ...changes }, seen: { ...seen } }));
      const results = await Promise.allSettled(orders.map(change));
      for (const result of results) if (result.status === "rejected") throw result.reason;
    },
    // Everything is read again, also what the user may do: that may be why it was refused.
    onSettled: () => void queryClient.invalidateQueries(),
  });
}
