import type { AppContext } from "../../_shared/app.ts";
import { callDatabase } from "../../_shared/database.ts";
import { uuid } from "../../_shared/validate.ts";
import { RETRY_MS, smsWebhook } from "./webhook.ts";

/** POST /recruiting/sms/status (SPEC 4.6): stores the delivery status of an outbound message. */
export function smsStatus(c: AppContext): Promise<Response> {
  return smsWebhook(c, (parameter, id) =>
    callDatabase("update_sms_status", {
      message_sid: parameter("MessageSid"),
      provider_status: parameter("MessageStatus"),
      error_code: parameter("ErrorCode"),
      event_id: id,
      message_id: messageId(c.req.query("message")),
    }, { retryWithin: RETRY_MS }));
}

/**
 * The id of our message, which the address of its callback has. The signature covers the address. Anything but a uuid is
 * ignored: the MessageSid alone identifies the message then.
 */
function messageId(value: string | undefined): string | null {
  return uuid.safeParse(value).data ?? null;
}
