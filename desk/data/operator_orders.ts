import { keepPreviousData, queryOptions, useMutation } from "@tanstack/react-query";
import type { Json } from "../../supabase/functions/_shared/database.types.ts";
import { call, supabase } from "./client.ts";
import { asOperator, operatorQueries, readAgain, SELDOM } from "./operator.ts";
import type { Row } from "./operator_rows.ts";
import { after, isId, pagesOptions, search } from "./pages.ts";

/** An order of an agency for leads. */
export type Order = Row<
  "order_list",
  | "id"
  | "agency_id"
  | "agency"
  | "filled"
  | "quantity"
  | "leads_today"
  | "status"
  | "created_at"
  | "leads_7_days"
  | "per_day"
>;
/** Why an order gets leads now, or none, and what the others do to the leads that it wants. */
export interface ExplainedOrder {
  as_of: string;
  order: {
    /** The vendor's slug. Null: it wants leads of any vendor. */
    vendor: string | null;
    states: string[] | null;
    status: string;
    /** Whether it goes first for some lead now. */
    gets_leads: boolean;
    /** Whether it takes turns with other orders. */
    takes_turns: boolean;
  };
  /** The number of leads that it wants which came in seven days, and of those that no order got. */
  leads: number;
  waiting: number;
  orders: TriedOrder[];
}
/** An order, and why it would get a lead or not. */
export interface TriedOrder {
  order_id: string;
  agency: string;
  /** The vendor's slug. Null: it wants leads of any vendor. */
  vendor: string | null;
  states: string[] | null;
  priority: number;
  filled: number;
  quantity: number;
  /** The number of the leads of seven days that it got; where an order is explained. */
  got?: number;
  gets_it: boolean;
  reason: string | null;
}
/** Which orders are listed. */
export interface OrderFilter {
  agency_id?: string;
  order_id?: string;
  /** Parts of the names of the agency and the agent. */
  words?: string | null;
  /** The vendor's slug. */
  vendor?: string | null;
  status?: string | null;
}

/** What operators read of orders. */
export const operatorOrderQueries = {
  /** Orders, the newest first: those of an agency, one, or those as they are looked for, closed ones aside unless asked for. */
  orders: ({ agency_id, order_id, words, vendor, status }: OrderFilter) =>
    pagesOptions<Order>(
      [...operatorQueries.all(), "orders", agency_id, order_id, words, vendor, status],
      async (limit, last) => {
        if (order_id !== undefined && !isId(order_id)) return [];
        let query = supabase.from("order_list").select().limit(limit);
        if (agency_id !== undefined) query = query.eq("agency_id", agency_id);
        if (order_id !== undefined) query = query.eq("id", order_id);
        if (status) query = query.eq("status", status);
        else if (agency_id === undefined && order_id === undefined) query = query.neq("status", "closed");
        if (vendor) query = query.eq("vendor", vendor);
        if (words) query = search(query, words, { names: ["agency", "agent"] });
        return await call(after(query, last)) as Order[];
      },
    ),
  /** These orders. */
  some: (ids: string[]) =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "some orders", ids],
      queryFn: () => asOperator(call(supabase.from("order_list").select().in("id", ids))) as Promise<Order[]>,
      enabled: ids.length > 0,
      placeholderData: keepPreviousData,
    }),
  /** The orders of an agency that are open or paused, the oldest first. */
  agencyOrders: (agency_id: string) =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "agency orders", agency_id],
      queryFn: () =>
        asOperator(call(
          supabase.from("order_list").select("id, status").eq("agency_id", agency_id).in("status", ["open", "paused"])
            .order("created_at").order("id"),
        )) as Promise<Pick<Order, "id" | "status">[]>,
    }),
  /** Why an order gets leads now, or none. */
  explainedOrder: (order_id: string) =>
    queryOptions({
      queryKey: [...operatorQueries.all(), "explained order", order_id],
      queryFn: () =>
        asOperator(call(supabase.rpc("explain_order", { order_id }))) as unknown as Promise<ExplainedOrder>,
      ...SELDOM,
    }),
};

/** Creates an order of an agency, which is open, by the columns that are set. Gives its id. */
export function useCreateOrder() {
  return useMutation({
    mutationFn: async ({ agency_id, ...settings }: { agency_id: string } & Record<string, Json>) =>
      (await asOperator(call(supabase.rpc("create_order", { agency_id, settings })))).id,
    onSettled: () => void readAgain(),
  });
}
