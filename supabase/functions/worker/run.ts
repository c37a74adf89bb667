import * as z from "zod";
import type { Endpoint, RequestContext } from "../_shared/app.ts";
import { continueAfterResponse } from "../_shared/background.ts";
import { ApiError } from "../_shared/errors.ts";
import { runJobs } from "../_shared/jobs.ts";
import { bearerToken, matchesSecret, secretsFromEnv } from "../_shared/secrets.ts";
import { count } from "../_shared/validate.ts";
import { leadFetches } from "../recruiting/fetches/fetch.ts";
import { botTurns } from "./bot/bot_turns.ts";
import { dispatches } from "./dispatches/dispatches.ts";
import { greetings } from "./greetings.ts";
import { heartbeat } from "./heartbeat.ts";
import { mediaCopies } from "./media_copies/media_copies.ts";
import { takeOvers } from "./take_overs.ts";
import { texts } from "./texts/texts.ts";

/** Every job of the worker. A new job requires a line here, and a branch of `private.is_other_work_due()`. */
const JOBS = {
  take_overs: takeOvers,
  greetings,
  bot_turns: botTurns,
  texts,
  media_copies: mediaCopies,
  lead_fetches: leadFetches,
  dispatches,
  heartbeat,
};

const fetchCounts = z.strictObject({
  done: count.describe("Their leads are stored, or had come before."),
  waiting: count.describe("They are tried again later."),
  failed: count.describe("No lead can be had, or made of what was fetched. Each is a rejected delivery."),
}).describe("The number of leads to fetch that were left in each state.");

const workerResult = z.strictObject({
  accepted: count.describe("Twilio has them."),
  unconfirmed: count.describe("Twilio may have them: they are looked up there."),
  pending: count.describe("They are tried again later."),
  refused: count.describe("The recruit has opted out."),
  failed: count.describe("Twilio will not send them."),
  lead_fetches: fetchCounts,
  errors: count.describe("Errors in the service itself, which the log has. Everything else was done."),
}).meta({
  id: "WorkerResult",
  description:
    "The number of texts and of leads to fetch that were left in each state, and the number of errors. What was claimed " +
    "twice counts twice.",
});

type WorkerResult = z.infer<typeof workerResult>;

const NOTHING: WorkerResult = {
  accepted: 0,
  unconfirmed: 0,
  pending: 0,
  refused: 0,
  failed: 0,
  lead_fetches: { done: 0, waiting: 0, failed: 0 },
  errors: 0,
};

export const runEndpoint: Endpoint = {
  handler: run,
  tag: "Scheduler",
  id: "runWorker",
  summary: "Scheduler: do the work that is due, such as sending texts and fetching leads",
  description: "Several calls at the same time do no harm. A body is ignored.",
  security: ["workerKey"],
  responses: {
    200: {
      description: "Nothing is due any more, or 1,000 items or 40 s have passed",
      schema: workerResult,
      examples: {
        sent: ["Twilio has accepted two texts", { ...NOTHING, accepted: 2 }],
        nothing: ["Nothing was due", NOTHING],
      },
    },
  },
  errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
};

/**
 * POST /worker/run: runs all {@link JOBS}. Responds when nothing is due, or after 1,000 items or about 40 s.
 *
 * @throws ApiError UNAUTHORIZED without `WORKER_KEY`; INTERNAL_ERROR if texts cannot be claimed, or one of their
 * settings is invalid. All other jobs have run.
 */
async function run({ request, requestId, log }: RequestContext): Promise<Response> {
  if (!matchesSecret(bearerToken(request) ?? "", secretsFromEnv("WORKER_KEY"))) {
    throw new ApiError("UNAUTHORIZED", "send WORKER_KEY as `Authorization: Bearer`", {
      headers: { "WWW-Authenticate": 'Bearer realm="worker"' },
    });
  }
  const running = runJobs(JOBS, requestId, "texts");
  // The caller may hang up before the run ends.
  continueAfterResponse(running.catch(() => {}));
  const { counts, errors } = await running;
  for (const [job, states] of Object.entries(counts)) {
    for (const [state, number] of Object.entries(states)) log[`${job}_${state}`] = number;
  }
  log.errors = errors;
  return Response.json({
    ...NOTHING,
    ...counts.texts,
    lead_fetches: { ...NOTHING.lead_fetches, ...counts.lead_fetches },
    errors,
  });
}
