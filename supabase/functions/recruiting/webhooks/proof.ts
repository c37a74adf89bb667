import { randomBytes } from "node:crypto";
import {
  type Proof,
  type Received,
  type Scheme,
  type SecretCheck,
  usableSecrets,
  type Webhook,
  type WebhookRequest,
  type WebhookScheme,
  type WebhookSecret,
} from "./delivery.ts";
import { escapeUnicode } from "./encodings.ts";
import { hmacCheck, type HmacConfig, PRESETS, sign, signatureCheck } from "./hmac.ts";
import { basicCheck, googleKeyCheck, headerCheck, queryCheck } from "./shared_secret.ts";
import { standardCheck } from "./standard.ts";

/** The check of each scheme of `vendors.webhook_scheme`. */
export const SCHEMES: Readonly<Record<WebhookScheme, Scheme>> = {
  hmac: hmacCheck,
  standard: standardCheck,
  indeed: signedAs(PRESETS.indeed),
  greenhouse: signedAs(PRESETS.greenhouse),
  linkedin: signedAs(PRESETS.linkedin),
  meta: signedAs(PRESETS.meta),
  google_ads: takingAsLong(googleKeyCheck),
  basic: takingAsLong(basicCheck),
  header: takingAsLong(headerCheck),
  query: takingAsLong(queryCheck),
};

/** The schemes whose proof stands in a header or in the query, whatever the body is. */
export const ARE_PROVED_WITHOUT_BODY: ReadonlySet<WebhookScheme> = new Set(["basic", "header", "query"] as const);

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
  delivery: WebhookRequest,
  now: Date,
): Proof | null {
  const escaped = escapeUnicode(delivery.body);
  const received = {
    ...delivery,
    bodies: escaped === null ? [delivery.body] : [delivery.body, escaped],
  };
  // The database may know a scheme that this version of the functions does not.
  const isKnown = webhook !== null && Object.hasOwn(SCHEMES, webhook.scheme);
  const check = (isKnown ? SCHEMES[webhook.scheme](webhook.config, received, now) : null) ??
    provesNothing(received);
  const secrets = usableSecrets(webhook, "secret");
  const proofs = (secrets.length > 0 ? secrets : [NOBODYS_SECRET]).map(({ id, secret }) => {
    const match = check(secret);
    return match && { secretId: id, ...match };
  });
  return proofs.find((proof) => proof !== null) ?? null;
}

/** Proves nothing, and takes as long as a signature. */
function provesNothing({ bodies }: Received): SecretCheck {
  return (secret) => {
    for (const body of bodies) sign("sha256", secret, [body]);
    return null;
  };
}

/** A scheme with the documented signature of a vendor. */
function signedAs(preset: HmacConfig): Scheme {
  return (_, received, now) => signatureCheck(preset, received, now);
}

/** A scheme without a signature that takes as long as one with it. */
function takingAsLong(scheme: Scheme): Scheme {
  return (config, received, now) => {
    const check = scheme(config, received, now);
    const refuse = provesNothing(received);
    return check && ((secret) => {
      refuse(secret);
      return check(secret);
    });
  };
}
