import { buildPushPayload, type VapidKeys } from "@block65/webcrypto-web-push";
import { isObject, type JsonObject } from "../../_shared/json.ts";
import { noResponse, type Outcome, outcomeOf } from "./outcome.ts";
import { type Network, post } from "./webhook.ts";

/** How many seconds the push service keeps what a browser does not fetch: an older notification is of no use. */
const TTL_SECONDS = 4 * 3600;

/** The statuses with which a push service says that there is no such subscription any more: RFC 8030, section 7.3. */
const GONE = [404, 410];

/** The browser of an agent. */
export interface PushTarget {
  url: string;
  keys: { p256dh: string; auth: string };
}

/** Encrypts the data of a notification for a browser and gives it to its push service: RFC 8291 and 8292. Never rejects. */
export async function sendPush(
  { url, keys }: PushTarget,
  { data }: JsonObject,
  vapid: VapidKeys,
  network: Network,
): Promise<Outcome> {
  const message = {
    data: data as never,
    options: { ttl: TTL_SECONDS, urgency: isObject(data) && data.kind === "lead" ? "normal" : "high" },
  } as const;
  // The library allows no other endpoint, and reads only its origin. A double of the local stack has none.
  const subscription = { endpoint: url.replace(/^http:/, "https:"), expirationTime: null, keys };
  let payload: Awaited<ReturnType<typeof buildPushPayload>>;
  try {
    payload = await buildPushPayload(message, subscription, vapid);
  } catch {
    return noResponse("failed", "keys");
  }
  const { data: response, error } = await post(url, new Headers(payload.headers), payload.body, network);
  return error === null
    ? outcomeOf(response, { accepted_when: null, rejected_when: null }, GONE)
    : noResponse("retry", error);
}
