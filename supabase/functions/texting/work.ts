import type { Endpoint, RequestContext } from "../_shared/app.ts";
import { continueAfterResponse } from "../_shared/background.ts";
import { callDatabase } from "../_shared/database.ts";
import { requireWorkerKey } from "../_shared/worker_key.ts";
import { tellAlerts } from "./alerts/tell.ts";
import { copyMedia } from "./copies/copy.ts";
import { greetedCountries } from "./countries.ts";
import { twilioAccount } from "./twilio_account.ts";
import { holdDueTexts, sendDueTexts, type WorkCounts, workResult } from "./worker.ts";

const NO_TEXTS: WorkCounts = {
  accepted: 0,
  unconfirmed: 0,
  pending: 0,
  refused: 0,
  failed: 0,
  errors: 0,
};

export const workEndpoint: Endpoint = {
  handler: work,
  tag: "Scheduler",
  id: "sendDueTexts",
  summary: "Scheduler: send the texts that are due, copy recruits' files, and tell of alerts",
  description: "Several calls at the same time do no harm. A body is ignored.",
  security: ["workerKey"],
  responses: {
    200: {
      description: "Nothing is due any more, or 1,000 texts or 40 s have passed",
      schema: workResult,
      examples: {
        sent: ["Twilio has got two texts", { ...NO_TEXTS, accepted: 2 }],
        nothing: ["Nothing was due", NO_TEXTS],
      },
    },
  },
  errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
};

/**
 * POST /texting/work: sends the texts that are due, and looks up those of which it is not known whether Twilio has
 * them. Where no account at Twilio is set, it holds them. Responds when nothing is due any more, or after 1,000 texts or about 40 s. The response counts the texts by the
 * state they were left in. Beside the texts, recruits' files are copied and alerts are told.
 */
async function work({ request, requestId, log }: RequestContext): Promise<Response> {
  requireWorkerKey(request, "texting");
  const copying = copyMedia(requestId);
  const telling = tellAlerts(requestId);
  const working = sendTexts(requestId).finally(() => Promise.all([copying, telling]));
  // The caller may hang up before it ends.
  continueAfterResponse(working.catch(() => {}));
  const [counts, copied, told] = await Promise.all([working, copying, telling]);
  const errors = counts.errors + copied.errors + told.errors;
  Object.assign(log, counts, { files: copied.files, alerts: told.alerts, errors });
  return Response.json({ ...counts, errors });
}

async function sendTexts(requestId: string): Promise<WorkCounts> {
  // A project may be told of alerts and send no texts.
  if (!Deno.env.get("TWILIO_ACCOUNT_SID")?.trim()) {
    return await callDatabase("are_texts_due", {}) ? await holdDueTexts(requestId) : NO_TEXTS;
  }
  // A wrong setting is an error at once, and not only with the next greeting.
  greetedCountries();
  return await sendDueTexts(twilioAccount(), requestId);
}
