import type { AppContext } from "../../_shared/app.ts";
import { callDatabase } from "../../_shared/database.ts";
import { RETRY_MS, smsWebhook } from "./webhook.ts";

/** POST /recruiting/sms/status (SPEC 4.6): stores the delivery status of an outbound message. */
export function smsStatus(c: AppContext): Promise<Response> {
  return smsWebhook(c, (parameter, id) =>
    callDatabase("update_sms_status", {
      message_sid: parameter("MessageSid"),
      provider_status: parameter("MessageStatus"),
      error_code: parameter("ErrorCode"),
      event_id: id,
    }, { retryWithin: RETRY_MS }));
}
