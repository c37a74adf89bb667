import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { callDatabase } from "../_shared/database.ts";
import { count, must } from "../_shared/validate.ts";
import { requireOperator } from "./operator.ts";
import { requireValidQuery, text } from "./pages.ts";

const MOST = 90;
const DAYS = { error: must(`be a whole number from 1 to ${MOST}`) };

export const daysQuery = z.object({
  days: z.string().regex(/^\d{1,3}$/, DAYS).transform(Number).refine((days) => days >= 1 && days <= MOST, DAYS)
    .default(14),
  timezone: text.default("UTC"),
});

export const daysResult = z.strictObject({
  days: z.array(z.iso.date()),
  vendors: z.array(z.strictObject({
    vendor: z.string().describe("Its slug, or `import`."),
    leads: z.array(count).describe("New leads, in the order of `days`."),
    refused: z.array(count).describe("Rejected deliveries, in the order of `days`."),
  })),
}).meta({ id: "VendorDays" });

/** GET /operator/vendors/days: how many leads each vendor has brought on each of the last days, up to today. */
export async function countVendorDays({ request }: RequestContext): Promise<Response> {
  await requireOperator(request);
  const query = requireValidQuery(daysQuery, request);

  const result: z.infer<typeof daysResult> = await callDatabase("count_vendor_days", query);

  return Response.json(result);
}
