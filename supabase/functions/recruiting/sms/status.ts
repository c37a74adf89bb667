import * as z from "zod";
import type { Endpoint, RequestContext } from "../../_shared/app.ts";
import { callDatabase } from "../../_shared/database.ts";
import { uuid } from "../../_shared/validate.ts";
import { RETRY_MS, SMS_ERRORS, SMS_RESPONSE, smsWebhook } from "./webhook.ts";

const smsStatusCallback = z.looseObject({
  MessageSid: z.string(),
  MessageStatus: z.string()
    .describe("queued, sent, delivered, undelivered or failed. Others are ignored."),
  ErrorCode: z.string().optional(),
}).meta({ id: "SmsStatusCallback" });

const smsStatusResult = z.strictObject({
  status: z.enum(["updated", "ignored", "error"]),
}).meta({ id: "SmsStatusResult" });

export const statusEndpoint: Endpoint = {
  handler: smsStatus,
  tag: "Text messages",
  id: "updateSmsStatus",
  summary: "Twilio: the delivery status of a message",
  description: "Stores the status: the last callback wins, and the same callback again changes nothing.",
  security: ["twilioSignature"],
  query: {
    message: {
      description: "The id of the message, which each of our texts has in its StatusCallback. " +
        "Anything but a UUID is ignored.",
      schema: z.string(),
    },
  },
  body: {
    types: ["application/x-www-form-urlencoded"],
    schema: smsStatusCallback,
    examples: {
      delivered: ["A message has been delivered", {
        MessageSid: "SM00000000000000000000000000000001",
        MessageStatus: "delivered",
      }],
    },
  },
  responses: {
    200: {
      description: SMS_RESPONSE,
      schema: smsStatusResult,
      examples: {
        updated: ["The message has this status now", { status: "updated" }],
        ignored: ["The status or the message is unknown", { status: "ignored" }],
      },
    },
  },
  errors: SMS_ERRORS,
};

/** POST /recruiting/sms/status (SPEC 4.6): stores the delivery status of an outbound message. */
function smsStatus(context: RequestContext): Promise<Response> {
  return smsWebhook(context, (parameter, id) =>
    callDatabase("update_sms_status", {
      message_sid: parameter("MessageSid"),
      provider_status: parameter("MessageStatus"),
      error_code: parameter("ErrorCode"),
      event_id: id,
      message_id: messageId(new URL(context.request.url).searchParams.get("message")),
    }, { retryWithin: RETRY_MS }));
}

/**
 * Returns the id of our message in the URL of its callback, which the signature covers. Anything but a UUID is ignored:
 * the MessageSid alone then identifies the message.
 */
function messageId(value: string | null): string | null {
  return uuid.safeParse(value).data ?? null;
}
