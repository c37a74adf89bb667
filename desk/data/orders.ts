import { call, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";

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

export const orderQueries = {
  all: () => ["orders"],
  /** The orders of a manager's agency, newest first: those that may still get leads, or those that get no more. */
  list: (agency_id: string, isDone: boolean) =>
    pagesOptions<Order>([...orderQueries.all(), agency_id, isDone], async (limit, last) => {
      const query = supabase.from("order_pace").select().eq("agency_id", agency_id)
        .in("status", isDone ? ["filled", "closed"] : ["open", "paused"]).limit(limit);
      return await call(after(query, last)) as Order[];
    }),
};
