import { callDatabase } from "../../_shared/database.ts";
import { SEMAPHORES } from "../../_shared/semaphores.ts";
import { LOOK_UP, wrongProof } from "../ingest/vendor.ts";
import { VendorCache } from "../ingest/vendor.ts";
import type { WebhookSettings } from "./delivery.ts";
import { ARE_PROVED_WITHOUT_BODY, verifyProof } from "./proof.ts";

/** The webhooks by slug; null if a slug has none. */
const webhooks = new VendorCache<WebhookSettings | null>();

/** The format of a vendor's slug, as in the database, which does not accept every text that a path may contain. */
export const SLUG = /^(?=.{1,63}$)[a-z0-9]+(?:[_-][a-z0-9]+)*$/;

/**
 * Finds the webhook of a slug, and verifies that a request comes from its vendor. New secrets and changed settings take
 * effect immediately, because a proof that the cached webhook refuses is checked again with the current one.
 *
 * @param check returns null if the request proves nothing. For a slug without a webhook, it receives null and must take
 * the same time, so that callers cannot find out which slugs exist.
 * @param refused called with the webhook or null if the request proves nothing
 * @throws ApiError UNAUTHORIZED if the request proves nothing.
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
 * Identifies the vendor of a request by a proof outside the body, so that its body is read as that vendor's. Only the
 * share of memory depends on the result: the request is authenticated in any case after the body has arrived.
 *
 * @returns the vendor's id; undefined if nothing is proved yet. Never throws.
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
