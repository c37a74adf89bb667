import type { JsonObject } from "../../_shared/json.ts";
import { type Refusal, usableSecrets, type Webhook, type WebhookRequest, type WebhookScheme } from "./delivery.ts";
import { type HmacConfig, hmacRefusal, PRESETS, signatureRefusal } from "./hmac.ts";
import { basicRefusal, googleKeyRefusal, headerRefusal, queryRefusal } from "./shared_secret.ts";
import { standardRefusal } from "./standard.ts";

/** Returns why a delivery of a scheme proves nothing. */
type Refuse = (config: JsonObject, delivery: WebhookRequest, now: Date) => Refusal;

const REFUSALS: Readonly<Record<WebhookScheme, Refuse>> = {
  hmac: hmacRefusal,
  standard: standardRefusal,
  indeed: signedAs(PRESETS.indeed),
  greenhouse: signedAs(PRESETS.greenhouse),
  linkedin: signedAs(PRESETS.linkedin),
  meta: signedAs(PRESETS.meta),
  google_ads: googleKeyRefusal,
  basic: basicRefusal,
  header: headerRefusal,
  query: queryRefusal,
};

/**
 * Returns why verifyProof() refuses a delivery: the first problem that the vendor must fix. Only the operator sees it.
 *
 * @param webhook null if the slug has none
 */
export function refusalOf(webhook: Webhook | null, delivery: WebhookRequest, now: Date): Refusal {
  if (webhook === null) return "webhook_off";
  if (usableSecrets(webhook, "secret").length === 0) return "no_secret";
  // The database may have a scheme that this version of the functions does not support.
  const isKnown = Object.hasOwn(REFUSALS, webhook.scheme);
  return isKnown ? REFUSALS[webhook.scheme](webhook.config, delivery, now) : "differs";
}

/** Returns the scheme of a vendor's documented signature. */
function signedAs(preset: HmacConfig): Refuse {
  return (_, delivery, now) => signatureRefusal(preset, delivery, now);
}
