/** The routes below /recruiting/sms. */
import * as z from "zod";
import type { ErrorCode } from "../../../supabase/functions/_shared/errors.ts";
import { inboundSms, inboundSmsResult } from "../../../supabase/functions/recruiting/sms/inbound.ts";
import { smsStatusCallback, smsStatusResult } from "../../../supabase/functions/recruiting/sms/status.ts";
import type { Operation } from "./operation.ts";

const errors: ErrorCode[] = [
  "UNAUTHORIZED",
  "REQUEST_TIMEOUT",
  "PAYLOAD_TOO_LARGE",
  "UNSUPPORTED_MEDIA_TYPE",
];
const RESPONSE = "Always, once the signature is valid. `error` when the database failed.";

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
        text: ["A text message", {
          From: "+13125550121",
          To: "+13125550100",
          Body: "Yes, call me",
          MessageSid: "SM00000000000000000000000000000002",
        }],
      },
    },
    responses: {
      200: {
        description: RESPONSE,
        schema: inboundSmsResult,
        examples: {
          received: ["Stored", { status: "received" }],
          no_conversation: ["No conversation has these two numbers", { status: "no_conversation" }],
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
        delivered: ["A message has been delivered", {
          MessageSid: "SM00000000000000000000000000000001",
          MessageStatus: "delivered",
        }],
      },
    },
    responses: {
      200: {
        description: RESPONSE,
        schema: smsStatusResult,
        examples: {
          updated: ["The message has this status now", { status: "updated" }],
          ignored: ["The status or the message is unknown", { status: "ignored" }],
        },
      },
    },
    errors,
  },
];
