import * as z from "zod";
import { JSON_ERRORS } from "../../_shared/description.ts";
import { type Endpoint, isDryRun, type RequestContext } from "../../_shared/app.ts";
import { idempotencyKey } from "../../_shared/body/json.ts";
import { sha256Hex } from "../../_shared/secrets.ts";
import { readUnauthenticatedBody } from "../../_shared/body/form.ts";
import { BODY_LIMIT, DRY_RUN_QUERY, DUPLICATE, WAITING } from "../ingest/ingest.ts";
import { MISSING_FIRST_NAME } from "../ingest/lead.ts";
import { createdLead } from "../ingest/responses.ts";
import { recruitingLead } from "../parsers/generic.ts";
import { admitVendor, toVendor, type VendorRequest } from "../ingest/vendor.ts";
import { splitLeads } from "../parsers/index.ts";
import { authenticateWebhook, recognizeSender, SLUG } from "./authenticate_webhook.ts";
import { linkedInChallenge, metaChallenge, respondToChallenge } from "./challenges.ts";
import type { Refusal, WebhookSettings } from "./delivery.ts";
import { receiveLead, receiveLeads, webhookResponse } from "./leads.ts";
import { verifyProof } from "./proof.ts";
import { refusalOf } from "./refusal.ts";
import { countRefused } from "./refused_proofs.ts";

/** A request whose vendor is identified by its proof. */
interface ProvedRequest extends VendorRequest {
  settings: WebhookSettings;
  /** SHA-256 of the proved bytes, in hexadecimal. */
  hash: string;
  dryRun: boolean;
}

/** The parameters of the route's path. */
type Parameters = Record<string, string>;

const webhookBody = z.union([recruitingLead, z.array(recruitingLead).max(1_000)])
  .meta({ id: "WebhookBody" });

const parameters = { slug: "The vendor's slug." };
const ofLinkedIn = { description: "Of LinkedIn.", schema: z.string().optional() };
const ofMeta = { description: "Of Meta.", schema: z.string().optional() };

export const webhookEndpoint: Endpoint = {
  handler: webhook,
  isIdempotent: true,
  parameters,
  tag: "Recruiting leads",
  id: "receiveWebhook",
  summary: "Take in the leads of a vendor that cannot send an API key",
  description: "Does what POST /recruiting/ingest does. The body may also be a form, and may " +
    "hold several leads. A delivery that is repeated with the same id is a duplicate.",
  security: ["webhookProof"],
  query: DRY_RUN_QUERY,
  body: {
    types: ["application/json", "application/x-www-form-urlencoded", "multipart/form-data"],
    schema: webhookBody,
    examples: {
      generic: [
        "For a vendor with the parser `generic`",
        { vendor_lead_id: "app-3001", first_name: "Ada", phone: "+12025550143" },
      ],
    },
  },
  responses: {
    201: {
      description: "A new lead",
      schema: createdLead,
      examples: { waiting: ["No open order matched", WAITING] },
    },
    200: {
      description: "A duplicate, an event that is not a lead, several leads, or a dry run. For " +
        "Greenhouse, also a new lead",
      schema: webhookResponse,
      examples: {
        duplicate: ["The vendor_lead_id, or the id of the delivery, has come before", DUPLICATE],
        ignored: ["A rejected candidate, say", { status: "ignored" }],
        several: ["Two leads, one of them without a name", {
          results: [
            WAITING,
            { error: { code: "BAD_REQUEST", message: MISSING_FIRST_NAME } },
          ],
        }],
      },
    },
  },
  errors: JSON_ERRORS,
};

/**
 * POST /recruiting/webhooks/<vendor slug>: like POST /recruiting/ingest, for vendors that cannot send an API key. The
 * body may be a form, and may contain several leads.
 */
async function webhook(context: RequestContext, { slug }: Parameters): Promise<Response> {
  const identify = (bytes: Uint8Array | null) => identifySender(context, slug!, bytes);
  const recognize = () => recognizeSender(slug!, context.request);
  const { sender, body } = await readUnauthenticatedBody(context.body, BODY_LIMIT, identify, { recognize });
  const { settings, vendor, hash, dryRun } = sender;

  // The id of a delivery takes precedence: it is stored for longer, and does not require an identical body.
  const hasId = vendor.credential.webhook?.delivery_id !== null;
  const key = hasId ? null : idempotencyKey(context.request.headers);
  const idempotency = key === null ? null : { key, part: 0, request_hash: hash };
  const { page_id } = settings.config;
  const fetches = settings.fetches_leads ? { pageId: typeof page_id === "string" ? page_id : null } : null;
  const options = { dryRun, idempotency, hash, fetches };

  const split = splitLeads(settings.parser ?? "", body, settings.parser_config);
  // A list has several leads even if no parser is configured, so that each can be replayed once there is one.
  const leads = split?.leads ?? (Array.isArray(body) ? body : null);
  if (leads !== null) {
    const request = { ...sender, vendor: { ...vendor, partParser: split?.parse } };
    return Response.json(await receiveLeads(request, leads, options));
  }
  const response = await receiveLead(sender, body, options);
  // Greenhouse accepts only 200 as success.
  const isNew = response.status === "created" && !dryRun && settings.scheme !== "greenhouse";
  return Response.json(response, { status: isNew ? 201 : 200 });
}

export const challengeEndpoint: Endpoint = {
  handler: respondToWebhookChallenge,
  parameters,
  tag: "Recruiting leads",
  id: "respondToWebhookChallenge",
  summary: "Show LinkedIn or Meta that the address is ours",
  description: "Both send a challenge when the webhook is registered, and LinkedIn again from time to time.",
  security: [],
  query: {
    "challengeCode": ofLinkedIn,
    "hub.mode": ofMeta,
    "hub.verify_token": ofMeta,
    "hub.challenge": ofMeta,
  },
  responses: {
    200: {
      description: "LinkedIn's code signed, or Meta's challenge as it came",
      schema: linkedInChallenge,
      examples: {
        linkedin: ["For LinkedIn", {
          challengeCode: "890e4665-4dfe-4ab1-b689-ed553bceeed0",
          challengeResponse: "2d1a9c7b0f1e4d3c8b6a5f4e3d2c1b0a9f8e7d6c5b4a39281706f5e4d3c2b1a0",
        }],
      },
      text: { schema: metaChallenge, examples: { meta: ["For Meta", "1158201444"] } },
    },
  },
  errors: ["UNAUTHORIZED", "INTERNAL_ERROR"],
};

/**
 * GET /recruiting/webhooks/<vendor slug>: the challenges with which LinkedIn and Meta verify the ownership of the URL.
 */
async function respondToWebhookChallenge(
  context: RequestContext,
  { slug }: Parameters,
): Promise<Response> {
  const query = new URL(context.request.url).searchParams;
  const check = (settings: WebhookSettings | null) => respondToChallenge(settings, query);
  const explain = (settings: WebhookSettings | null) => settings === null ? "webhook_off" : "challenge";
  return (await authenticate(context, slug!, check, explain)).proof;
}

/**
 * Verifies a proof with the webhook of the request's slug. For an invalid proof, the vendor and the reason are logged
 * for its operator, and the reason is counted.
 *
 * @param explain returns why nothing is proved; null if this is unknown
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
 * @param bytes null if the body could not be read
 * @throws ApiError UNAUTHORIZED for a stranger; TOO_MANY_REQUESTS if the vendor's limit is exceeded; BAD_REQUEST for
 * the same reasons as isDryRun().
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
  // Each of several leads in a delivery gets its own part.
  const credential = { secret_id: proof.secretId, delivery_id: proof.deliveryId, part: 0 };
  const vendor = toVendor({ key_hash: null, webhook: credential }, settings);
  const admitted = await admitVendor(context, vendor);
  // Decided before the body is examined: a dry run never stores a rejected delivery.
  const dryRun = isDryRun(context);
  return { ...admitted, settings, hash: sha256Hex(proof.body), dryRun };
}
