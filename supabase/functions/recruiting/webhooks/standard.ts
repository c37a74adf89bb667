import type { JsonObject } from "../../_shared/json.ts";
import { decodeBase64, headerText } from "./encodings.ts";
import { isAmong, isRecent, sign, timeRefusal } from "./hmac.ts";
import type { Received, Refusal, SecretCheck, WebhookRequest } from "./delivery.ts";

const TOLERANCE_SECONDS = 300;

/**
 * The scheme `standard`: https://github.com/standard-webhooks/standard-webhooks, symmetric signatures (`v1`). The
 * package standardwebhooks is not suitable: it accepts only a text as the body, so bytes that are not UTF-8 would fail.
 * It also reads the clock itself, and its SHA-256 takes ten times as long.
 */
export function standardCheck(
  _: JsonObject,
  { headers, bodies }: Received,
  now: Date,
): SecretCheck {
  const { id, timestamp, given } = readHeaders(headers);
  const isInTime = isRecent(timestamp, now, TOLERANCE_SECONDS);

  return (secret) => {
    const key = decodeBase64(secret.replace(/^whsec_/, "")) ?? new Uint8Array();
    const [body] = bodies
      .filter((body) => isAmong(given, sign("sha256", key, [`${id}.${timestamp}.`, body])));
    if (body === undefined || !isInTime || id === "" || key.length === 0) return null;
    return { deliveryId: id, body };
  };
}

/** Returns why a delivery of the scheme `standard` proves nothing. */
export function standardRefusal(_: JsonObject, { headers }: WebhookRequest, now: Date): Refusal {
  const { id, timestamp, signature, given } = readHeaders(headers);
  if (id === "" || signature === "") return "proof_missing";
  if (given.length === 0) return "proof_malformed";
  return timeRefusal(timestamp, now, TOLERANCE_SECONDS) ?? "differs";
}

function readHeaders(headers: Headers) {
  const signature = headerText(headers, "webhook-signature");
  return {
    id: headerText(headers, "webhook-id"),
    timestamp: headerText(headers, "webhook-timestamp"),
    signature,
    given: signature.split(" ").flatMap((versioned) =>
      versioned.startsWith("v1,") ? decodeBase64(versioned.slice("v1,".length)) ?? [] : []
    ),
  };
}
