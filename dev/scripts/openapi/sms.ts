import * as z from "zod";
import type { ErrorCode } from "../../../supabase/functions/_shared/errors.ts";
import type { NamedSchemas, Operation } from "./operation.ts";

// Twilio sends more parameters than these. All of them are signed.
const inboundSms = z.looseObject({
  From: z.string().describe("The recruit's phone number, E.164."),
  To: z.string().describe("The service's phone number that received the message."),
  Body: z.string().optional().describe("Absent from a message of pictures alone."),
  MessageSid: z.string(),
  NumMedia: z.string().optional(),
  MediaUrl0: z.string().optional(),
  MediaContentType0: z.string().optional(),
  OptOutType: z.string().optional()
    .describe("START, STOP or HELP, from a messaging service with Advanced Opt-Out."),
});

const smsStatusCallback = z.looseObject({
  MessageSid: z.string(),
  MessageStatus: z.string()
    .describe("queued, sent, delivered, undelivered or failed. Others are ignored."),
  ErrorCode: z.string().optional(),
});

const inboundSmsResult = z.strictObject({
  status: z.enum(["received", "no_conversation", "error"]),
});
const smsStatusResult = z.strictObject({ status: z.enum(["updated", "ignored", "error"]) });

/** Request schemas of the routes below. */
export const requestSchemas: NamedSchemas = {
  InboundSms: inboundSms,
  SmsStatusCallback: smsStatusCallback,
};

/** Response schemas of the routes below. */
export const responseSchemas: NamedSchemas = {
  InboundSmsResult: inboundSmsResult,
  SmsStatusResult: smsStatusResult,
};

const errors: ErrorCode[] = [
  "UNAUTHORIZED",
  "REQUEST_TIMEOUT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];
const RESPONSE = "Always, once the signature is valid. `error` when the database failed.";

/** The routes below /recruiting/sms. */
export const operations: Operation[] = [
  {
    method: "post",
    path: "/recruiting/sms/inbound",
    id: "receiveSms",
    summary: "Twilio: a recruit's text message",
    security: ["twilioSignature"],
    body: {
      types: ["application/x-www-form-urlencoded"],
      schema: inboundSms,
      examples: {
        text: {
          summary: "A text message",
          value: {
            From: "+13125550121",
            To: "+13125550100",
            Body: "Yes, call me",
            MessageSid: "SM00000000000000000000000000000002",
          },
        },
      },
    },
    responses: {
      200: {
        description: RESPONSE,
        schema: inboundSmsResult,
        examples: {
          received: { summary: "Stored", value: { status: "received" } },
          no_conversation: {
            summary: "No conversation has these two numbers",
            value: { status: "no_conversation" },
          },
        },
      },
    },
    errors,
  },
  {
    method: "post",
    path: "/recruiting/sms/status",
    id: "updateSmsStatus",
    summary: "Twilio: the delivery status of a message",
    security: ["twilioSignature"],
    query: {
      message: {
        description: "The id of the message, which each text of ours has in its StatusCallback. " +
          "Anything but a UUID is ignored.",
        schema: z.string(),
      },
    },
    body: {
      types: ["application/x-www-form-urlencoded"],
      schema: smsStatusCallback,
      examples: {
        delivered: {
          summary: "A message has been delivered",
          value: {
            MessageSid: "SM00000000000000000000000000000001",
            MessageStatus: "delivered",
          },
        },
      },
    },
    responses: {
      200: {
        description: RESPONSE,
        schema: smsStatusResult,
        examples: {
          updated: { summary: "The message has this status now", value: { status: "updated" } },
          ignored: {
            summary: "The status or the message is unknown",
            value: { status: "ignored" },
          },
        },
      },
    },
    errors,
  },
];
