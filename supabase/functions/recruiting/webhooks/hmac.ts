import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { JsonObject } from "../../_shared/json.ts";
import { decodeBase64, decodeHex, headerText } from "./encodings.ts";
import type { Received, Refusal, SecretCheck, WebhookRequest } from "./delivery.ts";

/** `vendors.webhook_config` of the scheme `hmac`. */
const Config = z.object({
  /** Contains the signature. If it is also the `timestamp_header`, it is a list: `t=<time>,<prefix><signature>,…`. */
  header: z.string().min(1),
  algorithm: z.enum(["sha1", "sha256", "sha512"]).default("sha256"),
  encoding: z.enum(["hex", "base64"]).default("hex"),
  /** Precedes the signature in the header. */
  prefix: z.string().default(""),
  /** The signed text: `{body}` and `{timestamp}` are replaced with the values of the request. */
  signed: z.string().includes("{body}").default("{body}"),
  /** Contains the time of the delivery. Requires `{timestamp}`: otherwise a stranger could set it. */
  timestamp_header: z.string().min(1).optional(),
  tolerance_seconds: z.number().default(300),
}).refine(({ signed, timestamp_header }) => signed.includes("{timestamp}") === (timestamp_header !== undefined));

export type HmacConfig = z.infer<typeof Config>;

/** The documented signatures of vendors. */
export const PRESETS = {
  /** https://docs.indeed.com/indeed-apply/message-signature-generation */
  indeed: Config.parse({ header: "X-Indeed-Signature", algorithm: "sha1", encoding: "base64" }),
  /** https://developers.greenhouse.io/webhooks.html */
  greenhouse: Config.parse({ header: "Signature", prefix: "sha256 " }),
  /** https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation */
  linkedin: Config.parse({ header: "X-LI-Signature", signed: "hmacsha256={body}" }),
  /** https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
  meta: Config.parse({ header: "X-Hub-Signature-256", prefix: "sha256=" }),
} satisfies Record<string, HmacConfig>;

/** The scheme `hmac`: a signature as the configuration describes it. */
export function hmacCheck(config: JsonObject, received: Received, now: Date): SecretCheck | null {
  const { data } = Config.safeParse(config);
  return data === undefined ? null : signatureCheck(data, received, now);
}

/** Checks the signature of a delivery. */
export function signatureCheck(config: HmacConfig, received: Received, now: Date): SecretCheck {
  const { given, timestamp } = readHeaders(config, received.headers);
  const isTimed = config.timestamp_header !== undefined;
  const isInTime = !isTimed || isRecent(timestamp, now, config.tolerance_seconds);

  return (secret) => {
    const [proved] = received.bodies
      .map((body) => ({ body, parts: signedParts(config.signed, timestamp, body) }))
      .filter(({ parts }) => isAmong(given, sign(config.algorithm, secret, parts)));
    if (proved === undefined || !isInTime) return null;
    return { deliveryId: isTimed ? digest(proved.parts) : null, body: proved.body };
  };
}

/** Returns why a delivery of the scheme `hmac` proves nothing. */
export function hmacRefusal(config: JsonObject, delivery: WebhookRequest, now: Date): Refusal {
  const { data } = Config.safeParse(config);
  return data === undefined ? "differs" : signatureRefusal(data, delivery, now);
}

/** Returns why a delivery with a signature proves nothing. */
export function signatureRefusal(config: HmacConfig, { headers }: WebhookRequest, now: Date): Refusal {
  const { given, timestamp } = readHeaders(config, headers);
  if (headerText(headers, config.header) === "") return "proof_missing";
  if (given.length === 0) return "proof_malformed";
  if (config.timestamp_header === undefined) return "differs";
  return timeRefusal(timestamp, now, config.tolerance_seconds) ?? "differs";
}

/** Returns the HMAC of these parts in sequence. */
export function sign(
  algorithm: string,
  key: string | Uint8Array,
  parts: (string | Uint8Array)[],
): Uint8Array {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Whether one of these signatures is the expected one, in constant time. */
export function isAmong(given: Uint8Array[], expected: Uint8Array): boolean {
  return given.map((one) => one.length === expected.length && timingSafeEqual(one, expected))
    .includes(true);
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/;

/** Whether a time, in Unix seconds or ISO 8601, is within this many seconds before or after now. */
export function isRecent(timestamp: string, now: Date, toleranceSeconds: number): boolean {
  return timeRefusal(timestamp, now, toleranceSeconds) === null;
}

/** Returns why {@link isRecent} refuses a time; null if it does not. */
export function timeRefusal(timestamp: string, now: Date, toleranceSeconds: number): Refusal | null {
  if (/^\d{13}$/.test(timestamp)) return "time_in_milliseconds";
  const time = /^\d{1,12}$/.test(timestamp)
    ? Number(timestamp) * 1000
    : ISO_TIME.test(timestamp)
    ? Date.parse(timestamp)
    : NaN;
  if (Number.isNaN(time)) return "time_missing";
  if (Math.abs(time - now.getTime()) <= toleranceSeconds * 1000) return null;
  return time < now.getTime() ? "time_too_old" : "time_in_future";
}

/** Returns the decoded signatures and the time in the headers; empty if they are missing or malformed. */
function readHeaders(
  { header, timestamp_header, encoding, prefix }: HmacConfig,
  headers: Headers,
): { given: Uint8Array[]; timestamp: string } {
  const isList = header.toLowerCase() === timestamp_header?.toLowerCase();
  const value = headerText(headers, header);
  const items = isList ? value.split(",").map((item) => item.trim()) : [value];
  const decode = encoding === "hex" ? decodeHex : decodeBase64;
  return {
    given: items.flatMap((item) => item.startsWith(prefix) ? decode(item.slice(prefix.length)) ?? [] : []),
    timestamp: isList
      ? items.find((item) => item.startsWith("t="))?.slice("t=".length) ?? ""
      : headerText(headers, timestamp_header),
  };
}

/**
 * Returns the id of a delivery with a signed time. The signature is not suitable as an id, because there are several
 * while a vendor rotates its secret.
 */
function digest(parts: (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

function signedParts(signed: string, timestamp: string, body: Uint8Array): (string | Uint8Array)[] {
  return signed.split(/(\{body\}|\{timestamp\})/).map((part) =>
    part === "{body}" ? body : part === "{timestamp}" ? timestamp : part
  );
}
