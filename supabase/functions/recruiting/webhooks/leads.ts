import * as z from "zod";
import { isRefused } from "../../_shared/database.ts";
import { ApiError, internalError } from "../../_shared/errors.ts";
import type { Json } from "../../_shared/json.ts";
import type { RejectedRow } from "../../_shared/rejected_deliveries.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import type { Idempotency } from "../../_shared/body/json.ts";
import { ingestLead, tryLead } from "../ingest/ingest.ts";
import { createdLead, dryRun, duplicateLead } from "../ingest/responses.ts";
import { vendorLeadId } from "../ingest/lead.ts";
import { replayContext, type Vendor, type VendorRequest } from "../ingest/vendor.ts";
import { LEAD_NOTICE } from "../parsers/linkedin_lead_sync.ts";
import { NO_CONTACT_DETAILS } from "../parsers/meta.ts";
import { NOT_A_NEW_APPLICATION } from "../parsers/parser.ts";
import { keepNotices, leadgenNotices } from "../fetches/notices.ts";

/** The maximum number of leads in one body. */
const MAX_LEADS = 1_000;

/** The errors of the parsers for a notice of leads that must be fetched. */
const NOTICES = [NO_CONTACT_DETAILS, LEAD_NOTICE];

/** The options for storing the leads of a delivery. */
export interface DeliveryOptions {
  dryRun: boolean;
  /** Null if there is no Idempotency-Key, or if the delivery has its own id. */
  idempotency: Idempotency | null;
  /** SHA-256 of the proved bytes, in hexadecimal. */
  hash: string;
  /** Null if the leads of notices are not fetched. */
  fetches: { pageId: string | null } | null;
}

/** The response to an event that is not a lead. */
export const ignored = z.strictObject({
  status: z.literal("ignored").describe("A test, or an event that is not a new application."),
}).meta({ id: "Ignored" });

/** The response for a refused lead among several. */
const refusedLead = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string() }),
}).meta({ id: "RefusedLead" });

/** The response to several leads. */
const webhookResults = z.strictObject({
  results: z.array(z.union([createdLead, duplicateLead, ignored, dryRun, refusedLead]))
    .describe("What became of each lead of the body, in its order."),
}).meta({ id: "WebhookResults" });

/** The response to a body: 201 if there is a new lead; Greenhouse always gets 200. */
export const webhookResponse = z.union([duplicateLead, ignored, createdLead, dryRun, webhookResults]).meta({
  id: "WebhookResponse",
});

type LeadResponse = Exclude<z.infer<typeof webhookResponse>, Results>;
type Results = z.infer<typeof webhookResults>;

/**
 * Stores the one lead of a body, or ignores an event that is not a lead. The leads of Meta's notices are fetched. If
 * they are not, and for LinkedIn, the ids are stored as rejected deliveries.
 *
 * @throws ApiError for the same reasons as ingestLead().
 */
export async function receiveLead(
  request: VendorRequest,
  payload: Json,
  options: DeliveryOptions,
): Promise<LeadResponse> {
  const response = await takeLead(request, payload, options, null);
  const lead_id = "id" in response && !options.dryRun ? response.id : undefined;
  Object.assign(request.log, { lead_status: response.status, lead_id });
  return response;
}

/**
 * Stores each lead of a body separately. A lead that cannot be stored does not affect the others, and is stored as a
 * rejected delivery.
 *
 * @param request its vendor has the parser for each of the leads
 * @throws ApiError PAYLOAD_TOO_LARGE if there are more than 1,000 leads. If the database or storage fails, its error:
 * the vendor must repeat the delivery, and the leads that are already stored are then duplicates.
 */
export async function receiveLeads(
  request: VendorRequest,
  leads: Json[],
  options: DeliveryOptions,
): Promise<Results> {
  const { vendor, rejected, log } = request;
  if (leads.length > MAX_LEADS) {
    throw new ApiError("PAYLOAD_TOO_LARGE", `the body holds more than ${MAX_LEADS} leads`);
  }
  const outcomes: (LeadResponse | ApiError)[] = [];
  let failure: ApiError | undefined;
  const rest = leads.entries();
  const takeSome = async () => {
    for (const [part, lead] of rest) {
      if (failure !== undefined) return;
      try {
        const own = partOf(vendor, options, part);
        outcomes[part] = await takeLead(
          { ...request, vendor: own.vendor },
          lead,
          own.options,
          part,
        );
      } catch (thrown) {
        const error = thrown instanceof ApiError ? thrown : internalError(thrown);
        if (isAboutTheLead(error)) outcomes[part] = error;
        else failure = error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME.leadsOfBody }, takeSome));

  // For example CONFLICT: the first delivery is still in progress, and stores the rejected leads.
  if (failure !== undefined && failure.code !== "INTERNAL_ERROR") throw failure;
  for (const [row, payload] of leads.entries()) {
    const error = outcomes[row] ?? failure;
    if (!(error instanceof ApiError)) continue;
    const { code, message: reason } = error;
    const context = replayContext(partOf(vendor, options, row).vendor.credential);
    const vendor_lead_id = vendorLeadId(vendor, payload);
    rejected.add({ row, code, reason, payload, vendor_lead_id, context });
  }
  if (failure !== undefined) throw failure;

  const results = outcomes.map(resultOf);
  Object.assign(log, countResults(results));
  return { results };
}

/**
 * Returns the vendor and the options for one of several leads, which a repeated delivery recognizes by its index.
 */
function partOf(vendor: Vendor, options: DeliveryOptions, part: number) {
  const { webhook } = vendor.credential;
  if (webhook === null) return { vendor, options };
  const { hash, idempotency } = options;
  // A delivery that fails half way is repeated unchanged, so without an id of its own, the hash of its body serves as
  // one.
  const delivery_id = webhook.delivery_id ?? (idempotency === null ? `sha256 ${hash}` : null);
  return {
    vendor: {
      ...vendor,
      credential: { key_hash: null, webhook: { ...webhook, delivery_id, part } },
    },
    options: { ...options, idempotency: idempotency && { ...idempotency, part } },
  };
}

async function takeLead(
  request: VendorRequest,
  payload: Json,
  { dryRun, idempotency, fetches }: DeliveryOptions,
  row: number | null,
): Promise<LeadResponse> {
  const { vendor, requestId } = request;
  try {
    if (dryRun) return await tryLead(vendor, payload);
    const delivery = { request_id: requestId, received_via: "webhook", idempotency } as const;
    return await ingestLead(vendor, payload, delivery);
  } catch (error) {
    const message = error instanceof ApiError && error.code === "BAD_REQUEST" ? error.message : "";
    if (NOTICES.includes(message)) {
      await takeNotices(request, payload, row, message, message === NO_CONTACT_DETAILS && !dryRun ? fetches : null);
    } else if (message !== NOT_A_NEW_APPLICATION) throw error;
    return { status: "ignored" };
  }
}

/**
 * Schedules a fetch of each lead that the vendor only gives notice of, or stores the notice as a rejected delivery.
 *
 * @throws ApiError INTERNAL_ERROR if the database fails. The vendor must send the notices again.
 */
async function takeNotices(
  { vendor, requestId, rejected }: VendorRequest,
  payload: Json,
  row: number | null,
  message: string,
  fetches: DeliveryOptions["fetches"],
): Promise<void> {
  const notices = leadgenNotices(payload);
  const reasons = fetches && await keepNotices(vendor.id, requestId, notices, fetches.pageId);
  const kept: RejectedRow[] = [];
  for (const [index, { leadgen_id, notice }] of notices.entries()) {
    const reason = reasons === null ? message : reasons[index]!;
    if (reason === null) continue;
    kept.push({
      row: row ?? (notices.length > 1 ? index : null),
      code: "BAD_REQUEST",
      reason,
      payload: notice,
      vendor_lead_id: leadgen_id,
    });
  }
  await rejected.store(kept);
}

/** Whether an error concerns one lead, and would be the same if the delivery were repeated. */
function isAboutTheLead(error: ApiError): boolean {
  return error.code === "BAD_REQUEST" || error.code === "PAYLOAD_TOO_LARGE" || isRefused(error);
}

function resultOf(outcome: LeadResponse | ApiError): Results["results"][number] {
  if (!(outcome instanceof ApiError)) return outcome;
  const { code, message } = outcome;
  return { error: { code, message } };
}

function countResults(results: Results["results"]): Record<string, number> {
  const count = (status: string) => results.filter((result) => "status" in result && result.status === status).length;
  return {
    created: count("created"),
    duplicates: count("duplicate"),
    ignored: count("ignored"),
    errors: results.filter((result) => "error" in result).length,
  };
}
