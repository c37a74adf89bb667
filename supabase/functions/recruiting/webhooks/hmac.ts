import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import type { JsonObject } from "../../_shared/json.ts";
import { sha256Hex } from "../../_shared/secrets.ts";
import { decodeBase64, decodeHex, headerText } from "./encodings.ts";
import type { Delivery, SecretCheck } from "./proof.ts";

/** `vendors.webhook_config` of the scheme `hmac`. */
const Config = z.object({
  /** Has the signature. */
  header: z.string().min(1),
  algorithm: z.enum(["sha1", "sha256", "sha512"]).default("sha256"),
  encoding: z.enum(["hex", "base64"]).default("hex"),
  /** Stands before the signature in the header. */
  prefix: z.string().default(""),
  /** The text that is signed: `{body}` and `{timestamp}` stand for what was sent, the rest for itself. */
  signed: z.string().includes("{body}").default("{body}"),
  /** Has the time of the delivery, in Unix seconds. Only together with `{timestamp}`: else anybody could write it. */
  timestamp_header: z.string().min(1).optional(),
  tolerance_seconds: z.number().default(300),
}).refine(({ signed, timestamp_header }) =>
  signed.includes("{timestamp}") === (timestamp_header !== undefined)
);

type HmacConfig = z.infer<typeof Config> & {
  /** Whether the vendor documents that it signs `\u00e9` in place of `é`. */
  signsEscaped?: boolean;
};

/** The documented signatures of vendors. */
export const PRESETS: Readonly<Record<string, HmacConfig>> = {
  /** https://docs.indeed.com/indeed-apply/message-signature-generation */
  indeed: Config.parse({ header: "X-Indeed-Signature", algorithm: "sha1", encoding: "base64" }),
  /** https://developers.greenhouse.io/webhooks.html */
  greenhouse: Config.parse({ header: "Signature", prefix: "sha256 " }),
  /**
   * https://learn.microsoft.com/linkedin/shared/api-guide/webhook-validation,
   * https://learn.microsoft.com/linkedin/talent/apply-connect/receive-applications
   */
  linkedin: {
    ...Config.parse({ header: "X-LI-Signature", signed: "hmacsha256={body}" }),
    signsEscaped: true,
  },
  /** https://developers.facebook.com/docs/graph-api/webhooks/getting-started */
  meta: Config.parse({ header: "X-Hub-Signature-256", prefix: "sha256=" }),
};

/** The scheme `hmac`: a signature as the configuration describes it. */
export function hmacCheck(config: JsonObject, delivery: Delivery, now: Date): SecretCheck | null {
  const { data } = Config.safeParse(config);
  return data === undefined ? null : signatureCheck(data, delivery, now);
}

/** Checks the signature of a delivery. */
export function signatureCheck(config: HmacConfig, delivery: Delivery, now: Date): SecretCheck {
  const { headers, body } = delivery;
  const given = givenSignature(config, headers);
  const timestamp = headerText(headers, config.timestamp_header);
  const isInTime = config.timestamp_header === undefined ||
    isRecent(timestamp, now, config.tolerance_seconds);
  const bodies = config.signsEscaped ? [body, ...escapedUnicode(body)] : [body];

  return (secret) => {
    const isSigned = bodies
      .map((body) => sign(config.algorithm, secret, signedParts(config.signed, timestamp, body)))
      .map((expected) => isEqual(given, expected)).includes(true);
    if (!isSigned || !isInTime) return null;
    // Of the bytes, because the header can spell them in several ways.
    return { deliveryId: config.timestamp_header === undefined ? null : sha256Hex(given) };
  };
}

/** The HMAC of these parts, one after the other. */
export function sign(
  algorithm: string,
  key: string | Uint8Array,
  parts: (string | Uint8Array)[],
): Uint8Array {
  const hmac = createHmac(algorithm, key);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** Whether a signature is the expected one. It is compared to its end. */
export function isEqual(given: Uint8Array, expected: Uint8Array): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Whether a time in Unix seconds is this many seconds from now at most, before or after. */
export function isRecent(timestamp: string, now: Date, toleranceSeconds: number): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  return Math.abs(Number(timestamp) - now.getTime() / 1000) <= toleranceSeconds;
}

/** The signature in the header; empty where it is missing or malformed. */
function givenSignature({ header, encoding, prefix }: HmacConfig, headers: Headers): Uint8Array {
  const text = headerText(headers, header);
  if (!text.startsWith(prefix)) return new Uint8Array();
  const decode = encoding === "hex" ? decodeHex : decodeBase64;
  return decode(text.slice(prefix.length)) ?? new Uint8Array();
}

function signedParts(signed: string, timestamp: string, body: Uint8Array): (string | Uint8Array)[] {
  return signed.split(/(\{body\}|\{timestamp\})/).map((part) =>
    part === "{body}" ? body : part === "{timestamp}" ? timestamp : part
  );
}

/** Escaping a longer body would cost too much, because it may be a stranger's. An application without files is shorter. */
const MAX_ESCAPED_BYTES = 256 * 1024;

/**
 * The body with each character beyond ASCII as `\u` and four lower-case digits; nothing where it has none. LinkedIn
 * documents that it signs this, and not whether it also sends it. That such a body takes longer does not matter: a slug of
 * LinkedIn shows itself by its challenge.
 */
function escapedUnicode(body: Uint8Array): Uint8Array[] {
  if (body.length > MAX_ESCAPED_BYTES || body.every((byte) => byte < 0x80)) return [];
  const escaped = Buffer.from(body).toString("utf8").replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return [new TextEncoder().encode(escaped)];
}
