import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { serviceClient } from "../_shared/database.ts";
import { count, id } from "../_shared/validate.ts";
import { requireOperator } from "./operator.ts";
import { after, next, readPage, requireAnswer, requireValidQuery, time } from "./pages.ts";

export const waitingQuery = z.object({ after });

const waitingLead = z.strictObject({
  id,
  vendor_id: id,
  vendor: z.string(),
  vendor_lead_id: z.string().nullable(),
  name: z.string(),
  state: z.string().nullable(),
  distribution: z.enum(["unmatched", "pending"]),
  received: time,
});

export const waitingResult = z.strictObject({
  leads: z.array(waitingLead),
  waiting: count.describe("How many wait, on all pages."),
  next,
}).meta({ id: "WaitingLeads" });

/** GET /operator/leads/waiting: the recruiting leads that no order has got, the oldest first. */
export async function listWaitingLeads({ request }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { after } = requireValidQuery(waitingQuery, request);

  const [{ rows: leads, next }, waiting] = await Promise.all([
    readPage<z.infer<typeof waitingLead>>({ view: "waiting_lead_list", time: "received", newestFirst: false }, after),
    countWaiting(null),
  ]);

  const result: z.infer<typeof waitingResult> = { leads, waiting, next };
  return Response.json(result);
}

/** How many recruiting leads wait: of this vendor, or for null of all. */
export async function countWaiting(vendor_id: string | null): Promise<number> {
  const all = serviceClient().from("waiting_lead_list").select("*", { count: "exact", head: true });
  const { count } = await requireAnswer(vendor_id === null ? all : all.eq("vendor_id", vendor_id));
  return count ?? 0;
}
