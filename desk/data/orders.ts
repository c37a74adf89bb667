import { call, supabase } from "./client.ts";
import { after, usePages } from "./pages.ts";
import type { Agent } from "./user.ts";

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
  starts_at: string | null;
  ends_at: string | null;
  created_at: string;
  leads_today: number;
  leads_7_days: number;
  per_day: number;
  /** Null: it is not open, or gets no leads. */
  full_in_days: number | null;
}

/** The manager's orders, newest first: those that may still get leads, or those that get none any more. */
export function useOrders({ agency_id }: Agent, isDone: boolean) {
  return usePages<Order>(["orders", agency_id, isDone], async (limit, last) =>
    await call(
      after(
        supabase.from("order_pace").select().eq("agency_id", agency_id)
          .in("status", isDone ? ["filled", "closed"] : ["open", "paused"]).limit(limit),
        last,
      ),
    ) as Order[]);
}
