import * as z from "zod";
import { JSON_ERRORS } from "../_shared/description.ts";
import { type Endpoint, refuseDryRun, type RequestContext } from "../_shared/app.ts";
import { callDatabase } from "../_shared/database.ts";
import { readJson } from "../_shared/body/json.ts";
import { rateLimitFromEnv } from "../_shared/rate_limit.ts";
import { KIB } from "../_shared/units.ts";
import { must, oneOf, requireValidBody, uuid } from "../_shared/validate.ts";
import { requireProjectCredentials } from "./credentials.ts";

const BODY_LIMIT = 64 * KIB;

/** The body of the request. */
const activityRequest = z.object({
  lead_id: uuid,
  agent_id: uuid,
  type: oneOf(["presentation_started", "presentation_resumed", "presentation_paused"]),
}, { error: must("be a JSON object") }).meta({ id: "PresentationActivity" });

const activityResult = z.strictObject({ success: z.literal(true) })
  .meta({ id: "Success" });

export const activityEndpoint: Endpoint = {
  handler: logPresentationActivity,
  isIdempotent: true,
  tag: "Presentations",
  id: "logPresentationActivity",
  summary: "Log what happens to a presentation, from its pop-out window",
  description: "Browsers of any origin may call it. The lead must be one of the agent's.",
  security: ["projectKey", "projectKeyInQuery", "userToken"],
  body: {
    types: ["application/json", "text/plain"],
    schema: activityRequest,
    examples: {
      started: ["The presentation first opens", {
        lead_id: "10000001-0000-4000-8000-000000000001",
        agent_id: "b0000002-0000-4000-8000-000000000002",
        type: "presentation_started",
      }],
    },
  },
  responses: {
    200: {
      description: "Logged",
      schema: activityResult,
      examples: { logged: ["Logged", { success: true }] },
    },
  },
  errors: [...JSON_ERRORS, "NOT_FOUND"],
};

/**
 * POST /api/leads/log-presentation-activity (SPEC 4.4): logs the events of a presentation. The pop-out window that
 * calls it has no user session, so the database is called with the rights of the service role.
 */
async function logPresentationActivity(
  context: RequestContext,
): Promise<Response> {
  await requireProjectCredentials(context.request);
  refuseDryRun(context);

  const { body, idempotency } = await readJson(context.body, BODY_LIMIT);
  const activity = requireValidBody(activityRequest, body);

  await callDatabase("log_presentation_activity", {
    ...activity,
    per_minute: rateLimitFromEnv("LOG_ACTIVITY_RATE_LIMIT"),
    idempotency,
  });

  const result: z.infer<typeof activityResult> = { success: true };
  return Response.json(result);
}
