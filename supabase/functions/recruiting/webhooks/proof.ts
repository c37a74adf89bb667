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

/** The schemes whose proof is in a header or in the query and does not depend on the body. */
export const ARE_PROVED_WITHOUT_BODY: ReadonlySet<WebhookScheme> = new Set(["basic", "header", "query"] as const);

/** Checked if there is no secret. Nobody knows its value. */
const NOBODYS_SECRET: WebhookSecret = {
  id: "",
  kind: "secret",
  secret: randomBytes(32).toString("hex"),
};

/**
 * Verifies that a delivery comes from its vendor. Every secret is tried, and each costs a signature of the body,
 * whatever the scheme and even without a webhook: the response time must not reveal which slugs exist.
 *
 * @param webhook null if the slug has none
 * @returns null if nothing proves the delivery. Never throws, whatever the request and the configuration contain.
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
  // The database may have a scheme that this version of the functions does not support.
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

/** Proves nothing, but takes as long as checking a signature. */
function provesNothing({ bodies }: Received): SecretCheck {
  return (secret) => {
    for (const body of bodies) sign("sha256", secret, [body]);
    return null;
  };
}

/** Returns the scheme of a vendor's documented signature. */
function signedAs(preset: HmacConfig): Scheme {
  return (_, received, now) => signatureCheck(preset, received, now);
}

/** Makes a scheme without a signature take as long as one with a signature. */
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
