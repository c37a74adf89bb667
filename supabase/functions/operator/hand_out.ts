import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { callDatabase } from "../_shared/database.ts";
import { readJson } from "../_shared/body/json.ts";
import { KIB } from "../_shared/units.ts";
import { count, id, must, requireValidBody, uuid } from "../_shared/validate.ts";
import { recordAction, requireOperator } from "./operator.ts";
import { countWaiting } from "./waiting_leads.ts";

const BODY_LIMIT = 64 * KIB;

/** New leads wait while a batch is handed out. */
const MOST = 100;
const MAX = { error: must(`be a whole number from 1 to ${MOST}`) };

export const handOutRequest = z.object({
  max: z.int(MAX).min(1, MAX).max(MOST, MAX),
  vendor_id: uuid.nullable().default(null).describe("Only leads of this vendor."),
}, { error: must("be a JSON object") }).meta({ id: "HandOutRequest" });

export const handOutResult = z.strictObject({
  handed_out: z.array(z.strictObject({
    id,
    vendor: z.string(),
    name: z.string(),
    state: z.string().nullable(),
    agency: z.string(),
    agent: z.string(),
    order_id: id,
  })),
  waiting: count.describe("How many still wait, of the vendor where one was given."),
}).meta({ id: "HandOutResult" });

/** POST /operator/leads/hand-out: hands out leads that wait, the oldest first, to the orders that want them now. */
export async function handOut({ request, body: incoming, log }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const { body } = await readJson(incoming, BODY_LIMIT);
  const { max, vendor_id } = requireValidBody(handOutRequest, body);
  await recordAction(request, "hand_out", { max, vendor_id });

  const handed_out: z.infer<typeof handOutResult>["handed_out"] = await callDatabase("hand_out_leads", {
    max,
    vendor_id,
  });

  Object.assign(log, { handed_out: handed_out.length });
  const result: z.infer<typeof handOutResult> = { handed_out, waiting: await countWaiting(vendor_id) };
  return Response.json(result);
}
