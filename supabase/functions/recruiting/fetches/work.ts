import * as z from "zod";
import type { Endpoint, RequestContext } from "../../_shared/app.ts";
import { continueAfterResponse } from "../../_shared/background.ts";
import { count } from "../../_shared/validate.ts";
import { requireWorkerKey } from "../../_shared/worker_key.ts";
import { fetchDueLeads } from "./fetch.ts";

const fetchResult = z.strictObject({
  done: count.describe("Their leads are stored, or had come before."),
  waiting: count.describe("They are tried again later."),
  failed: count.describe("No lead can be had, or made of what was fetched. Each is a rejected delivery."),
  errors: count.describe("Errors in the service itself: the log has them. The rest was done all the same."),
}).meta({
  id: "FetchResult",
  description: "How many fetches were left in each state, and how many errors there were.",
});

export const fetchEndpoint: Endpoint = {
  handler: workFetches,
  tag: "Scheduler",
  id: "fetchDueLeads",
  summary: "Scheduler: fetch the leads of which a vendor has only given notice",
  description: "Several calls at the same time do no harm. A body is ignored.",
  security: ["workerKey"],
  responses: {
    200: {
      description: "Nothing is due any more, or 20 s have passed",
      schema: fetchResult,
      examples: {
        fetched: ["Two leads are stored", { done: 2, waiting: 0, failed: 0, errors: 0 }],
        nothing: ["Nothing was due", { done: 0, waiting: 0, failed: 0, errors: 0 }],
      },
    },
  },
  errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
};

/** POST /recruiting/fetches/work: fetches the leads that are due. The response counts them by their states. */
async function workFetches({ request, requestId, log }: RequestContext): Promise<Response> {
  requireWorkerKey(request, "recruiting");
  const working = fetchDueLeads(requestId);
  // The caller may hang up before it ends.
  continueAfterResponse(working);
  const counts = await working;
  Object.assign(log, counts);
  return Response.json(counts);
}
