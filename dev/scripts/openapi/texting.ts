import * as z from "zod";
import type { WorkCounts } from "../../../supabase/functions/texting/worker.ts";
import type { NamedSchemas, Operation } from "./operation.ts";

const count = z.int().min(0);
const workResult: z.ZodType<WorkCounts> = z.strictObject({
  accepted: count.describe("Twilio has them."),
  unconfirmed: count.describe("Twilio may have them: they are looked up there."),
  pending: count.describe("They are tried again later."),
  refused: count.describe("The recruit has opted out."),
  failed: count.describe("Twilio will not send them."),
}).describe("How many texts were left in each state.");

/** The route takes no body. */
export const requestSchemas: NamedSchemas = {};

/** Response schemas of the route below. */
export const responseSchemas: NamedSchemas = { WorkResult: workResult };

/** The route below /texting. */
export const operations: Operation[] = [
  {
    method: "post",
    path: "/texting/work",
    id: "sendDueTexts",
    summary: "Scheduler: send the texts that are due",
    description: "Several calls at the same time do no harm. A body is ignored.",
    security: ["workerKey"],
    responses: {
      200: {
        description: "Nothing is due any more, or 1,000 texts or 40 s have passed",
        schema: workResult,
        examples: {
          sent: {
            summary: "Twilio has got two texts",
            value: { accepted: 2, unconfirmed: 0, pending: 0, refused: 0, failed: 0 },
          },
          nothing: {
            summary: "Nothing was due",
            value: { accepted: 0, unconfirmed: 0, pending: 0, refused: 0, failed: 0 },
          },
        },
      },
    },
    errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
  },
];
