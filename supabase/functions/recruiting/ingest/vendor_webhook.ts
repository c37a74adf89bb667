import type { AppContext } from "../../_shared/app.ts";
import { callDatabase } from "../../_shared/database.ts";
import type { WebhookSettings } from "../../_shared/sql_functions.ts";
import {
  admitVendor,
  CACHE_MS,
  CACHE_SIZE,
  inTurn,
  LOOK_UP,
  lookUp,
  toVendor,
  type Vendor,
  wrongProof,
} from "./vendor.ts";

/** The webhooks that this isolate has been asked for in the last seconds, by slug. */
const cache = new Map<string, { webhook: WebhookSettings; until: number }>();

/** What a vendor's slug looks like, as in the database. */
const SLUG = /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/;

/**
 * Finds the webhook of a slug, and checks that a request proves to be its vendor's. New secrets and changed settings
 * count at once, because a proof that the remembered webhook refuses is checked once more with the present one.
 *
 * @param check returns null where nothing is proved. For a slug without a webhook it gets null, and must take as long
 * then, so that nobody learns which slugs exist.
 * @throws ApiError UNAUTHORIZED where nothing is proved.
 */
export async function authenticateWebhook<Proof>(
  slug: string,
  check: (webhook: WebhookSettings | null) => Proof | null,
): Promise<{ webhook: WebhookSettings; proof: Proof }> {
  const cached = cache.get(slug);
  const known = check(cached?.webhook ?? null);
  const isKnown = cached !== undefined && known !== null;
  if (isKnown && cached.until > Date.now()) return { webhook: cached.webhook, proof: known };

  const ask = async () => {
    const webhook = await identify(slug);
    const proof = check(webhook);
    if (webhook === null || proof === null) throw wrongProof();
    return { webhook, proof };
  };
  return await (isKnown ? ask() : lookUp(ask));
}

async function identify(slug: string): Promise<WebhookSettings | null> {
  // The database cannot take every text that a path may hold.
  const webhook = slug.length <= 63 && SLUG.test(slug)
    ? await inTurn(() => callDatabase("identify_webhook", { slug }, LOOK_UP))
    : null;
  if (webhook === null) {
    cache.delete(slug);
  } else {
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(slug, { webhook, until: Date.now() + CACHE_MS });
  }
  return webhook;
}

/**
 * The vendor of a webhook's request, after its proof. From now on a refusal of the request is written to the journal. Of a
 * delivery with several leads, each is stored with a `part` of its own in the credential.
 *
 * @param secretId the secret that has proved the request
 * @param deliveryId the same in each repeat of the delivery; null where the scheme has none
 * @throws ApiError TOO_MANY_REQUESTS beyond the vendor's limit.
 */
export async function webhookVendor(
  c: AppContext,
  webhook: WebhookSettings,
  { secretId, deliveryId }: { secretId: string; deliveryId: string | null },
): Promise<Vendor> {
  const proved = { secret_id: secretId, delivery_id: deliveryId, part: 0 };
  const vendor = toVendor({ key_hash: null, webhook: proved }, webhook);
  await admitVendor(c, vendor);
  return vendor;
}
