import { isDryRun, type RequestContext } from "../../_shared/app.ts";
import { idempotencyKey } from "../../_shared/body/json.ts";
import { sha256Hex } from "../../_shared/secrets.ts";
import { readUnauthenticatedBody } from "../../_shared/body/form.ts";
import { BODY_LIMIT } from "../ingest/ingest.ts";
import { admitVendor, toVendor, type VendorRequest } from "../ingest/vendor.ts";
import { splitLeads } from "../parsers/index.ts";
import { authenticateWebhook, recognizeSender, SLUG } from "./authenticate_webhook.ts";
import { respondToChallenge } from "./challenges.ts";
import type { Refusal, WebhookSettings } from "./delivery.ts";
import { receiveLead, receiveLeads } from "./leads.ts";
import { verifyProof } from "./proof.ts";
import { refusalOf } from "./refusal.ts";
import { countRefused } from "./refused_proofs.ts";

/** A request whose vendor is known by its proof. */
interface ProvedRequest extends VendorRequest {
  settings: WebhookSettings;
  /** SHA-256 of the bytes that were proved, in hex. */
  hash: string;
  dryRun: boolean;
}

/** The parameters of the route's path. */
type Parameters = Record<string, string>;

/**
 * POST /recruiting/webhooks/<vendor slug>: does what POST /recruiting/ingest does, for vendors that cannot send an API
 * key. The body may be a form, and may hold several leads.
 */
export async function webhook(context: RequestContext, { slug }: Parameters): Promise<Response> {
  const identify = (bytes: Uint8Array | null) => identifySender(context, slug!, bytes);
  const recognize = () => recognizeSender(slug!, context.request);
  const { sender, body } = await readUnauthenticatedBody(context.body, BODY_LIMIT, identify, { recognize });
  const { settings, vendor, hash, dryRun } = sender;

  // The id of a delivery says more: it is kept for longer, and needs no body that stays the same.
  const hasId = vendor.credential.webhook?.delivery_id !== null;
  const key = hasId ? null : idempotencyKey(context.request.headers);
  const idempotency = key === null ? null : { key, part: 0, request_hash: hash };
  const options = { dryRun, idempotency, hash };

  const split = splitLeads(settings.parser ?? "", body, settings.parser_config);
  // A list has several leads also where no parser is configured: so each of them can be replayed when there is one.
  const leads = split?.leads ?? (Array.isArray(body) ? body : null);
  if (leads !== null) {
    const request = { ...sender, vendor: { ...vendor, partParser: split?.parse } };
    return Response.json(await receiveLeads(request, leads, options));
  }
  const response = await receiveLead(sender, body, options);
  // Greenhouse takes nothing but 200 for success.
  const isNew = response.status === "created" && !dryRun && settings.scheme !== "greenhouse";
  return Response.json(response, { status: isNew ? 201 : 200 });
}

/**
 * GET /recruiting/webhooks/<vendor slug>: the challenges by which LinkedIn and Meta ask whether the address is ours.
 */
export async function respondToWebhookChallenge(
  context: RequestContext,
  { slug }: Parameters,
): Promise<Response> {
  const query = new URL(context.request.url).searchParams;
  const check = (settings: WebhookSettings | null) => respondToChallenge(settings, query);
  const explain = (settings: WebhookSettings | null) => settings === null ? "webhook_off" : "challenge";
  return (await authenticate(context, slug!, check, explain)).proof;
}

/**
 * Checks a proof with the webhook of the request's slug. A wrong one is logged with the vendor, for its operator to
 * see, and why it is wrong is logged and counted.
 *
 * @param explain says why nothing is proved; null where that cannot be known
 */
function authenticate<Proof>(
  { log }: RequestContext,
  slug: string,
  check: (settings: WebhookSettings | null) => Proof | null,
  explain: (settings: WebhookSettings | null) => Refusal | null,
): Promise<{ webhook: WebhookSettings; proof: Proof }> {
  return authenticateWebhook(slug, (settings) => {
    if (settings !== null) log.vendor_id = settings.vendor_id;
    return check(settings);
  }, (settings) => {
    const refusal = explain(settings);
    if (refusal === null) return;
    log.proof = refusal;
    if (SLUG.test(slug)) countRefused(slug, refusal, settings !== null);
  });
}

/**
 * @param bytes null where the body could not be read
 * @throws ApiError UNAUTHORIZED for a stranger; TOO_MANY_REQUESTS beyond the vendor's limit; BAD_REQUEST as isDryRun()
 * does.
 */
async function identifySender(
  context: RequestContext,
  slug: string,
  bytes: Uint8Array | null,
): Promise<ProvedRequest> {
  const { request } = context;
  const query = new URL(request.url).searchParams;
  const given = { headers: request.headers, query, body: bytes ?? new Uint8Array() };
  const { webhook: settings, proof } = await authenticate(
    context,
    slug,
    (settings) => verifyProof(settings, given, new Date()),
    (settings) => bytes && refusalOf(settings, given, new Date()),
  );
  // Each lead of a delivery with several gets a part of its own.
  const credential = { secret_id: proof.secretId, delivery_id: proof.deliveryId, part: 0 };
  const vendor = toVendor({ key_hash: null, webhook: credential }, settings);
  const admitted = await admitVendor(context, vendor);
  // Before the body is looked at: nothing is kept of a dry run, whatever the body is.
  const dryRun = isDryRun(context);
  return { ...admitted, settings, hash: sha256Hex(proof.body), dryRun };
}
