import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** The key lengths that the specification of Standard Webhooks allows. */
export const KEY_BYTES = { least: 24, most: 64 };

/** Returns the key of a signing secret; null if it is not `whsec_` and a key in base64. */
export function keyOf(secret: string): Uint8Array | null {
  const [, base64 = ""] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(base64, "base64");
  return key.length >= KEY_BYTES.least && key.length <= KEY_BYTES.most ? key : null;
}

/**
 * Returns the headers of Standard Webhooks (https://www.standardwebhooks.com): the id, the same in every attempt, the
 * time in seconds, and a signature by each key.
 */
export function signatureHeaders(
  id: string,
  content: string,
  keys: Uint8Array[],
  now = Date.now(),
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = keys.map((key) =>
    `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${content}`).digest("base64")}`
  );
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    ...(signatures.length > 0 && { "webhook-signature": signatures.join(" ") }),
  };
}
