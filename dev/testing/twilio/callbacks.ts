import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { type Account, API_VERSION } from "./account.ts";
import type { Message, Store } from "./store.ts";

/** Which callbacks the messages from now on get. */
export interface CallbackPlan {
  /** The statuses in the order in which they are told. None: no callback is sent. */
  statuses: string[];
  /** How often each is sent. */
  copies: number;
  /** How long each waits, in milliseconds. */
  delay_ms: number;
  /** The ErrorCode of `failed` and `undelivered`. */
  error_code: number | null;
}

/**
 * What Twilio sends where nothing goes wrong. The first status of a message is never told.
 * Source: https://www.twilio.com/docs/messaging/guides/outbound-message-status-in-status-callbacks
 */
export const USUAL_CALLBACKS: CallbackPlan = {
  statuses: ["sent", "delivered"],
  copies: 1,
  delay_ms: 10,
  error_code: null,
};

/** The order of the statuses. Callbacks may come in another one, and the message keeps the latest. */
const PROGRESS = ["accepted", "queued", "sending", "sent", "failed", "undelivered", "delivered"];

/** Sends a message: it passes through its statuses, and each is told to its StatusCallback. */
export async function deliver(
  store: Store,
  account: Account,
  message: Message,
  plan: CallbackPlan,
): Promise<void> {
  while (message.due_callbacks.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, plan.delay_ms));
    const status = message.due_callbacks[0]!;
    if (PROGRESS.indexOf(status) > PROGRESS.indexOf(message.status)) message.status = status;
    message.date_sent ??= new Date().toISOString();
    if (status === "failed" || status === "undelivered") message.error_code = plan.error_code;
    store.put(message);
    const url = message.parameters.StatusCallback;
    if (url) await report(account, message, status, url);
    message.due_callbacks = message.due_callbacks.slice(1);
    store.put(message);
  }
}

/** https://www.twilio.com/docs/messaging/guides/track-outbound-message-status */
async function report(
  account: Account,
  message: Message,
  status: string,
  url: string,
): Promise<void> {
  const parameters: Record<string, string> = {
    AccountSid: account.sid,
    ApiVersion: API_VERSION,
    From: message.from ?? "",
    MessageSid: message.sid,
    MessageStatus: status,
    SmsSid: message.sid,
    SmsStatus: status,
    To: message.to,
  };
  if (message.messaging_service_sid) {
    parameters.MessagingServiceSid = message.messaging_service_sid;
  }
  if (message.error_code !== null) parameters.ErrorCode = String(message.error_code);
  await postSigned(account, url, parameters);
}

/**
 * Posts a form with its X-Twilio-Signature. Like Twilio, it does not try again.
 *
 * @returns the HTTP status, or 0 where there was no response
 */
export async function postSigned(
  account: Account,
  url: string,
  parameters: Record<string, string>,
): Promise<number> {
  const signature = getExpectedTwilioSignature(account.authToken, url, parameters);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "x-twilio-signature": signature,
        "i-twilio-idempotency-token": crypto.randomUUID(),
      },
      body: new URLSearchParams(parameters),
      // https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
      signal: AbortSignal.timeout(15_000),
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    return 0;
  }
}
