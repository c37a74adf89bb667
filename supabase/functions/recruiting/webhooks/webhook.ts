import type { AppContext } from "../../_shared/app.ts";
import { readStrangersBody } from "../../_shared/body.ts";
import { idempotencyKey } from "../../_shared/idempotency.ts";
import { sha256Hex } from "../../_shared/secrets.ts";
import type { WebhookSettings } from "../../_shared/sql_functions.ts";
import { BODY_LIMIT, isDryRun } from "../ingest/ingest.ts";
import type { Vendor } from "../ingest/vendor.ts";
import { authenticateWebhook, webhookVendor } from "../ingest/vendor_webhook.ts";
import { splitLeads } from "../parsers/index.ts";
import { respondToChallenge } from "./challenges.ts";
import { receiveLead, receiveLeads } from "./leads.ts";
import { verifyProof } from "./proof.ts";

/** Who has sent a delivery, by its proof. */
interface Sender {
  settings: WebhookSettings;
  vendor: Vendor;
  /** SHA-256 of the bytes that were proved, in hex. */
  hash: string;
}

/**
 * POST /recruiting/webhooks/<vendor slug>: does what POST /recruiting/ingest does, for vendors that cannot send an API
 * key. The body may be a form, and may hold several leads.
 */
export async function webhook(c: AppContext): Promise<Response> {
  const identify = (bytes: Uint8Array) => identifySender(c, bytes);
  const { sender, body } = await readStrangersBody(c.req.raw, BODY_LIMIT, identify);
  const { settings, vendor, hash } = sender;

  const dryRun = isDryRun(c.req.query("dry_run"));
  // The id of a delivery says more: it is kept for longer, and needs no body that stays the same.
  const hasId = vendor.credential.webhook?.delivery_id !== null;
  const key = hasId ? null : idempotencyKey(c.req.raw);
  const idempotency = key === null ? null : { key, part: 0, request_hash: hash };
  const options = { dryRun, idempotency, hash };

  const split = splitLeads(settings.parser ?? "", body, settings.parser_config);
  // A list has several leads also where no parser is configured: so each of them can be replayed when there is one.
  const leads = split?.leads ?? (Array.isArray(body) ? body : null);
  if (leads !== null) {
    const parse = split?.parse ?? vendor.parse;
    return c.json(await receiveLeads(c, { ...vendor, parse }, leads, options));
  }
  const response = await receiveLead(c, vendor, body, options);
  // Greenhouse takes nothing but 200 for success.
  const isNew = response.status === "created" && !dryRun && settings.scheme !== "greenhouse";
  return c.json(response, isNew ? 201 : 200);
}

/** GET /recruiting/webhooks/<vendor slug>: the challenges by which LinkedIn and Meta ask whether the address is ours. */
export async function respondToWebhookChallenge(c: AppContext): Promise<Response> {
  const query = new URL(c.req.url).searchParams;
  const { proof } = await authenticate(c, (settings) => respondToChallenge(settings, query));
  return proof;
}

/** Checks a proof with the webhook of the request's slug. A wrong one is logged with the vendor, for its operator to see. */
function authenticate<Proof>(
  c: AppContext,
  check: (settings: WebhookSettings | null) => Proof | null,
): Promise<{ webhook: WebhookSettings; proof: Proof }> {
  return authenticateWebhook(c.req.param("slug") ?? "", (settings) => {
    if (settings !== null) c.get("log").vendor_id = settings.vendor_id;
    return check(settings);
  });
}

/** @throws ApiError UNAUTHORIZED for a stranger; TOO_MANY_REQUESTS beyond the vendor's limit. */
async function identifySender(c: AppContext, body: Uint8Array): Promise<Sender> {
  const query = new URL(c.req.url).searchParams;
  const given = { headers: c.req.raw.headers, query, body };
  const { webhook: settings, proof } = await authenticate(
    c,
    (settings) => verifyProof(settings, given, new Date()),
  );
  const vendor = await webhookVendor(c, settings, proof);
  // Before the body is looked at: a dry run is not in the journal, whatever the body is.
  if (query.get("dry_run") === "true") c.set("sender", undefined);
  return { settings, vendor, hash: sha256Hex(proof.body) };
}
