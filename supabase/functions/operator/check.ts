import * as z from "zod";
import type { RequestContext } from "../_shared/app.ts";
import { serviceClient } from "../_shared/database.ts";
import { requireOperator } from "./operator.ts";
import { first, more } from "./pages.ts";

export const checkResult = z.strictObject({
  findings: z.array(z.strictObject({
    kind: z.string().describe("What it is about, such as `order`."),
    name: z.string(),
    problem: z.string(),
    command: z.string().describe("What says more or mends it, to follow `npm run admin --`."),
  })),
  more,
}).meta({ id: "CheckResult" });

/** GET /operator/check: what is wrong now, as `npm run admin -- check` says it. */
export async function check({ request, log }: RequestContext): Promise<Response> {
  await requireOperator(request);

  const { rows: findings, more } = await first(serviceClient().rpc("check_service", {}, { count: "exact" }));

  Object.assign(log, { findings: findings.length });
  const result: z.infer<typeof checkResult> = { findings, more };
  return Response.json(result);
}
