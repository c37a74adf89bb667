import * as z from "zod";
import type { AppContext } from "../_shared/app.ts";
import { KIB } from "../_shared/body_bytes.ts";
import { callDatabase } from "../_shared/database.ts";
import { readIdempotentJson } from "../_shared/idempotency.ts";
import { rateLimitFromEnv } from "../_shared/rate_limit.ts";
import { must, oneOf, requireValidBody, uuid } from "../_shared/validate.ts";
import { requireProjectCredentials } from "./credentials.ts";

const BODY_LIMIT = 64 * KIB;

/** The request's body. */
export const activitySchema = z.object({
  lead_id: uuid,
  agent_id: uuid,
  type: oneOf(["presentation_started", "presentation_resumed", "presentation_paused"]),
}, { error: must("be a JSON object") });

/**
 * POST /api/leads/log-presentation-activity (SPEC 4.4): logs what happens to a presentation. The pop-out window that
 * calls it has no user session, so the database is called with the rights of the service role.
 */
export async function logPresentationActivity(c: AppContext): Promise<Response> {
  await requireProjectCredentials(c.req.raw);

  const { body, idempotency } = await readIdempotentJson(c.req.raw, BODY_LIMIT);
  const activity = requireValidBody(activitySchema, body);

  await callDatabase("log_presentation_activity", {
    ...activity,
    per_minute: rateLimitFromEnv("LOG_ACTIVITY_RATE_LIMIT"),
    idempotency,
  });

  return c.json({ success: true });
}
