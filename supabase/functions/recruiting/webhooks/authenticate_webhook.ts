import { callDatabase } from "../../_shared/database.ts";
import { SEMAPHORES } from "../../_shared/semaphores.ts";
import { LOOK_UP, wrongProof } from "../ingest/vendor.ts";
import { VendorCache } from "../ingest/vendor.ts";
import type { WebhookSettings } from "./delivery.ts";
import { ARE_PROVED_WITHOUT_BODY, verifyProof } from "./proof.ts";

/** The webhooks by slug; null where a slug has none. */
const webhooks = new VendorCache<WebhookSettings | null>();

/** The form of a vendor's slug, as in the database, which cannot take every text that a path may hold. */
export const SLUG = /^(?=.{1,63}$)[a-z0-9]+(?:[_-][a-z0-9]+)*$/;

/**
 * Finds the webhook of a slug, and checks that a request proves to be its vendor's. New secrets and changed settings
 * count at once, because a proof that the remembered webhook refuses is checked once more with the present one.
 *
 * @param check returns null where nothing is proved. For a slug without a webhook it gets null, and must take as long
 * then, so that nobody learns which slugs exist.
 * @param refused is told, with the webhook or null, that nothing is proved
 * @throws ApiError UNAUTHORIZED where nothing is proved.
 */
export async function authenticateWebhook<Proof>(
  slug: string,
  check: (webhook: WebhookSettings | null) => Proof | null,
  refused: (webhook: WebhookSettings | null) => void,
): Promise<{ webhook: WebhookSettings; proof: Proof }> {
  const last = webhooks.last(slug);
  const known = check(last?.found ?? null);
  if (last?.isFresh && known !== null) return { webhook: last.found, proof: known };

  const webhook = await webhooks.ask(slug, known !== null, () => identify(slug));
  const proof = check(webhook);
  if (webhook === null || proof === null) {
    refused(webhook);
    throw wrongProof();
  }
  return { webhook, proof };
}

/**
 * Finds the vendor of a request by what proves it besides the body, so that its body is read as that vendor's. Only a
 * share of memory depends on it: the request is authenticated once the body has come, whatever is found here.
 *
 * @returns the vendor's id; undefined where nothing is proved yet. Never throws.
 */
export async function recognizeSender(slug: string, request: Request): Promise<string | undefined> {
  const { headers } = request;
  const given = { headers, query: new URL(request.url).searchParams, body: new Uint8Array() };
  const last = webhooks.last(slug);
  const webhook = last?.isFresh
    ? last.found
    : await webhooks.ask(slug, last !== undefined, () => identify(slug)).catch(() => null);
  if (webhook === null || !ARE_PROVED_WITHOUT_BODY.has(webhook.scheme)) return undefined;
  return verifyProof(webhook, given, new Date()) === null ? undefined : webhook.vendor_id;
}

async function identify(slug: string): Promise<WebhookSettings | null> {
  if (!SLUG.test(slug)) return null;
  return await SEMAPHORES.vendorCalls.run(() => callDatabase("identify_webhook", { slug }, LOOK_UP));
}
