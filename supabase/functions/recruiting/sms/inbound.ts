import type { AppContext } from "../../_shared/app.ts";
import { callDatabase } from "../../_shared/database.ts";
import { type Parameter, RETRY_MS, smsWebhook } from "./webhook.ts";

/** A picture or other file of a message, where Twilio keeps it. */
interface Media {
  url: string;
  content_type: string | null;
}

/** POST /recruiting/sms/inbound (SPEC 4.5): a recruit's message, added to the conversation it belongs to. */
export function smsInbound(c: AppContext): Promise<Response> {
  return smsWebhook(c, (parameter) =>
    callDatabase("receive_sms", {
      recruit_phone: parameter("From"),
      service_phone: parameter("To"),
      message_sid: parameter("MessageSid"),
      body: parameter("Body"),
      media: readMedia(parameter),
    }, { retryWithin: RETRY_MS }));
}

// Twilio numbers them from 0 without a gap. NumMedia says no more than that, and a wrong one would lose some.
function readMedia(parameter: Parameter): Media[] {
  const media: Media[] = [];
  for (let url; (url = parameter(`MediaUrl${media.length}`)) !== null;) {
    media.push({ url, content_type: parameter(`MediaContentType${media.length}`) });
  }
  return media;
}
