import { randomBytes } from "node:crypto";
import type { JsonObject } from "../../_shared/json.ts";
import { escapeUnicode } from "./encodings.ts";
import { hmacCheck, PRESETS, sign, signatureCheck } from "./hmac.ts";
import { basicCheck, googleKeyCheck, headerCheck, queryCheck } from "./shared_secret.ts";
import { standardCheck } from "./standard.ts";

/** How a vendor proves that a delivery is its own, as the SQL function identify_webhook() returns it. */
export interface Webhook {
  /** One of {@link SCHEMES}. Any other proves nothing. */
  scheme: string;
  /** `vendors.webhook_config`: what the scheme needs. */
  config: JsonObject;
  /** The valid secrets, the newest first. */
  secrets: WebhookSecret[];
}

/** A secret that is shared with a vendor. */
export interface WebhookSecret {
  id: string;
  /** `secret` proves deliveries. `verify_token` is what Meta sends with its challenge. */
  kind: "secret" | "verify_token";
  secret: string;
}

/** What of a request can prove its sender. */
export interface Delivery {
  headers: Headers;
  query: URLSearchParams;
  /** The bytes as received, because a signature covers them. */
  body: Uint8Array;
}

/** A delivery with what a signature may cover. */
export interface Received extends Delivery {
  /**
   * The body, and the body with escaped characters where it has any beyond ASCII. LinkedIn and TikTok document that they
   * sign the second, and not that they also send it.
   */
  bodies: Uint8Array[];
}

/** What has proved a delivery. */
export interface Proof {
  /** The id of the secret. */
  secretId: string;
  /** The same when the delivery is repeated, and another for every other delivery; null where the scheme has none. */
  deliveryId: string | null;
  /** The body as it was signed, one of {@link Received.bodies}: the same signature proves bodies with other bytes. */
  body: Uint8Array;
}

/** Whether a secret proves a delivery; null: it does not. A wrong secret takes as long as the right one. */
export type SecretCheck = (secret: string) => Omit<Proof, "secretId"> | null;

/** Reads what a scheme needs from a delivery. Null where its configuration is incomplete. */
export type Scheme = (config: JsonObject, received: Received, now: Date) => SecretCheck | null;

/** The schemes by their names in `vendors.webhook_scheme`. */
export const SCHEMES: ReadonlyMap<string, Scheme> = new Map<string, Scheme>([
  ["hmac", hmacCheck],
  ["standard", standardCheck],
  ...Object.entries(PRESETS).map(([name, preset]): [string, Scheme] => [
    name,
    (_, received, now) => signatureCheck(preset, received, now),
  ]),
  ["google_ads", takingAsLong(googleKeyCheck)],
  ["basic", takingAsLong(basicCheck)],
  ["header", takingAsLong(headerCheck)],
  ["query", takingAsLong(queryCheck)],
]);

/** Tried where there is no secret. Nobody knows it. */
const NOBODYS_SECRET: WebhookSecret = {
  id: "",
  kind: "secret",
  secret: randomBytes(32).toString("hex"),
};

/**
 * Checks that a delivery comes from its vendor. Every secret is tried, and each costs a signature of the body, whatever
 * the scheme is and also where there is no webhook: the time of the response must not tell which slugs exist.
 *
 * @param webhook null where the slug has none
 * @returns null where nothing proves the delivery. Never throws, whatever the request and the configuration hold.
 */
export function verifyProof(
  webhook: Webhook | null,
  delivery: Delivery,
  now: Date,
): Proof | null {
  const escaped = escapeUnicode(delivery.body);
  const received = {
    ...delivery,
    bodies: escaped === null ? [delivery.body] : [delivery.body, escaped],
  };
  const scheme = SCHEMES.get(webhook?.scheme ?? "");
  const check = scheme?.(webhook?.config ?? {}, received, now) ?? refusal(received);
  const secrets = usableSecrets(webhook, "secret");
  const proofs = (secrets.length > 0 ? secrets : [NOBODYS_SECRET]).map(({ id, secret }) => {
    const match = check(secret);
    return match && { secretId: id, ...match };
  });
  return proofs.find((proof) => proof !== null) ?? null;
}

/** The secrets of a kind, the newest first. An empty one would be known to everybody. */
export function usableSecrets(
  webhook: Webhook | null,
  kind: WebhookSecret["kind"],
): WebhookSecret[] {
  return webhook?.secrets.filter((one) => one.kind === kind && one.secret !== "") ?? [];
}

/** Proves nothing, and takes as long as a signature. */
function refusal({ bodies }: Received): SecretCheck {
  return (secret) => {
    for (const body of bodies) sign("sha256", secret, [body]);
    return null;
  };
}

/** A scheme without a signature that takes as long as one with it. */
function takingAsLong(scheme: Scheme): Scheme {
  return (config, received, now) => {
    const check = scheme(config, received, now);
    const refuse = refusal(received);
    return check && ((secret) => {
      refuse(secret);
      return check(secret);
    });
  };
}
