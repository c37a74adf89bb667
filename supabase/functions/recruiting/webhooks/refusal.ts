import type { JsonObject } from "../../_shared/json.ts";
import { type Refusal, usableSecrets, type Webhook, type WebhookRequest, type WebhookScheme } from "./delivery.ts";
import { type HmacConfig, hmacRefusal, PRESETS, signatureRefusal } from "./hmac.ts";
import { basicRefusal, googleKeyRefusal, headerRefusal, queryRefusal } from "./shared_secret.ts";
import { standardRefusal } from "./standard.ts";

/** Says why a delivery of a scheme proves nothing. */
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
 * Why a delivery that verifyProof() refuses proves nothing: the first thing that the vendor has to mend. It is for the
 * operator alone.
 *
 * @param webhook null where the slug has none
 */
export function refusalOf(webhook: Webhook | null, delivery: WebhookRequest, now: Date): Refusal {
  if (webhook === null) return "webhook_off";
  if (usableSecrets(webhook, "secret").length === 0) return "no_secret";
  // The database may know a scheme that this version of the functions does not.
  const isKnown = Object.hasOwn(REFUSALS, webhook.scheme);
  return isKnown ? REFUSALS[webhook.scheme](webhook.config, delivery, now) : "differs";
}

/** A scheme with the documented signature of a vendor. */
function signedAs(preset: HmacConfig): Refuse {
  return (_, delivery, now) => signatureRefusal(preset, delivery, now);
}
