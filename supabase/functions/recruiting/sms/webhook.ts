import type { AppContext } from "../../_shared/app.ts";
import { KIB, readForm } from "../../_shared/body.ts";
import { ApiError } from "../../_shared/errors.ts";
import { cleanText } from "../../_shared/json.ts";
import { describeError, logError } from "../../_shared/log.ts";
import { requireTwilioSignature } from "./twilio_signature.ts";

const BODY_LIMIT = 64 * KIB;

/**
 * How long a call to the database is tried again, in milliseconds. Twilio gives up on a webhook after 15 s and does not
 * send it again, so the answer must be out before, and one failure must not be the end.
 */
export const RETRY_MS = 9_500;

/** A parameter of the form, storable but otherwise exactly as sent; null where it is absent. */
export type Parameter = (name: string) => string | null;

/**
 * Answers a webhook of Twilio's: past the signature always with HTTP 200, because any other answer makes Twilio raise
 * an alarm and helps nobody. What could not be stored is named in the log, so that it can be fetched from Twilio.
 *
 * @param handle stores what came and says what became of it
 * @throws ApiError for a body of the wrong type or size, and UNAUTHORIZED without a valid signature.
 */
export async function smsWebhook(
  c: AppContext,
  handle: (parameter: Parameter) => Promise<{ status: string }>,
): Promise<Response> {
  const form = await readForm(c.req.raw, BODY_LIMIT);
  requireTwilioSignature(c.req.raw, form);

  const parameter: Parameter = (name) => {
    const value = form.get(name);
    return value === null ? null : cleanText(value);
  };
  try {
    const { status } = await handle(parameter);
    c.get("log").sms_status = status;
    return c.json({ status });
  } catch (error) {
    logError({
      request_id: c.get("requestId"),
      event: "sms_not_stored",
      message_sid: parameter("MessageSid"),
      ...describeError(error instanceof ApiError ? error.cause ?? error : error),
    });
    c.get("log").sms_status = "error";
    return c.json({ status: "error" });
  }
}
