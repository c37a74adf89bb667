import { call, supabase } from "./client.ts";
import { after, pagesOptions } from "./pages.ts";

/** What an operator changed or was shown. */
export interface OperatorAction {
  id: string;
  created_at: string;
  operator: string;
  action: string;
  subject: Record<string, unknown>;
  /** The names of those in the subject: a vendor's is its slug. Null: there is none, or it is gone. */
  vendor: string | null;
  agency: string | null;
  agent: string | null;
}

/** What operators did, the latest first: all, or what one of them did, or one kind of act. */
export const operatorActions = (operator: string | null, action: string | null) =>
  pagesOptions<OperatorAction>(["operator", "actions", operator, action], async (limit, last) => {
    let query = supabase.from("operator_action_list").select(
      "id, created_at, operator, action, subject, vendor, agency, agent",
    ).limit(limit);
    if (operator) query = query.eq("operator", operator);
    if (action) query = query.eq("action", action);
    return await call(after(query, last)) as OperatorAction[];
  });
