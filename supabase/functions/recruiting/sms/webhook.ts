import type { RequestContext } from "../../_shared/app.ts";
import { ApiError, type ErrorCode } from "../../_shared/errors.ts";
import { readFormText } from "../../_shared/body/form.ts";
import { cleanText } from "../../_shared/json.ts";
import { describeError, logError } from "../../_shared/log.ts";
import { sha256Hex } from "../../_shared/secrets.ts";
import { KIB } from "../../_shared/units.ts";
import { notSigned, requireTwilioSignature, signatureOf } from "./twilio_signature.ts";

const BODY_LIMIT = 64 * KIB;

/** Twilio sends some thirty parameters, and two more for each picture. Checking a signature takes time for each. */
const PARAMETER_LIMIT = 200;

/**
 * How many milliseconds a call of the database is retried. Twilio waits 15 s for the response and does not repeat the
 * webhook.
 */
export const RETRY_MS = 9_500;

/**
 * Returns a parameter of the form; null if it is absent. The value is exactly as sent, except for characters that
 * Postgres cannot store.
 */
export type Parameter = (name: string) => string | null;

/** The errors of Twilio's routes, listed in the description of each. */
export const SMS_ERRORS: ErrorCode[] = [
  "UNAUTHORIZED",
  "REQUEST_TIMEOUT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];
export const SMS_RESPONSE = "Always, once the signature is valid. `error` when the database failed.";

/**
 * Handles a webhook of Twilio. With a valid signature, the response is always HTTP 200, as SPEC 4.5 requires. If the
 * message could not be stored, its MessageSid is logged, so that it can be fetched from Twilio.
 *
 * @param handle stores the message or the status under the given id, and returns the `status` of the response
 * @throws ApiError UNAUTHORIZED if there is no signature; otherwise the error of {@link readFormText} for the body;
 * otherwise UNAUTHORIZED if the signature is invalid.
 */
export async function smsWebhook(
  { request, requestId, body, log }: RequestContext,
  handle: (parameter: Parameter, id: string) => Promise<{ status: string }>,
): Promise<Response> {
  // The signature covers the body, so the body must be read first; but not if the request has no signature at all.
  signatureOf(request);
  const text = await readFormText(body, BODY_LIMIT);
  if (text.split("&", PARAMETER_LIMIT + 1).length > PARAMETER_LIMIT) throw notSigned();
  const form = new URLSearchParams(text);
  requireTwilioSignature(request, form);

  const parameter: Parameter = (name) => {
    const value = form.get(name);
    return value === null ? null : cleanText(value);
  };
  try {
    const { status } = await handle(parameter, webhookId(request, parameter));
    log.sms_status = status;
    return Response.json({ status });
  } catch (error) {
    logError({
      request_id: requestId,
      event: "sms_not_stored",
      message_sid: parameter("MessageSid"),
      ...describeError(error instanceof ApiError ? error.cause ?? error : error),
    });
    log.sms_status = "error";
    return Response.json({ status: "error" });
  }
}

/**
 * Returns an id with which the database stores a webhook only once, however often it is delivered. Twilio sends the
 * same idempotency token when it repeats a webhook. Without a token, each request is a separate webhook.
 */
function webhookId(request: Request, parameter: Parameter): string {
  const token = request.headers.get("I-Twilio-Idempotency-Token");
  if (!token) return crypto.randomUUID();
  const identity = [token, parameter("MessageSid"), parameter("MessageStatus")];
  return sha256Hex(JSON.stringify(identity))
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}
