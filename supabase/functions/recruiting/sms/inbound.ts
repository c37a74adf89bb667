import * as z from "zod";
import type { Endpoint, RequestContext } from "../../_shared/app.ts";
import { callDatabase } from "../../_shared/database.ts";
import { type Parameter, RETRY_MS, SMS_ERRORS, SMS_RESPONSE, smsWebhook } from "./webhook.ts";

// Twilio sends more parameters than these. The signature covers all of them.
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
}).meta({ id: "InboundSms" });

const inboundSmsResult = z.strictObject({
  status: z.enum(["received", "no_conversation", "error"]),
}).meta({ id: "InboundSmsResult" });

/** A picture or another file of a message. */
interface Media {
  /** The URL of the file at Twilio. */
  url: string;
  content_type: string | null;
}

export const inboundEndpoint: Endpoint = {
  handler: smsInbound,
  tag: "Text messages",
  id: "receiveSms",
  summary: "Twilio: a recruit's text message",
  description: "Stores the message in the conversation of its two numbers. The same message again is stored once.",
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
      description: SMS_RESPONSE,
      schema: inboundSmsResult,
      examples: {
        received: ["Stored", { status: "received" }],
        no_conversation: ["No conversation has these two numbers", { status: "no_conversation" }],
      },
    },
  },
  errors: SMS_ERRORS,
};

/** POST /recruiting/sms/inbound (SPEC 4.5): stores a recruit's message in its conversation. */
function smsInbound(context: RequestContext): Promise<Response> {
  return smsWebhook(context, (parameter, id) =>
    callDatabase("receive_sms", {
      recruit_phone: parameter("From"),
      service_phone: parameter("To"),
      message_sid: parameter("MessageSid"),
      body: parameter("Body"),
      media: readMedia(parameter),
      message_id: id,
      // The meaning according to the account's own keywords, if the messaging service has Advanced Opt-Out.
      opt_out_type: parameter("OptOutType"),
      // Without an account, the files could not be fetched.
      copies_media: Boolean(Deno.env.get("TWILIO_ACCOUNT_SID")?.trim()),
    }, { retryWithin: RETRY_MS }));
}

// Twilio numbers the files from 0 without a gap. NumMedia is not used, because files would be lost if it were wrong.
function readMedia(parameter: Parameter): Media[] {
  const media: Media[] = [];
  for (let url; (url = parameter(`MediaUrl${media.length}`)) !== null;) {
    media.push({ url, content_type: parameter(`MediaContentType${media.length}`) });
  }
  return media;
}
