import { type AppContext, journalOf } from "../../_shared/app.ts";
import { isRefused } from "../../_shared/database.ts";
import { ApiError, type ErrorCode, internalError } from "../../_shared/errors.ts";
import type { Idempotency } from "../../_shared/idempotency.ts";
import type { Json } from "../../_shared/json.ts";
import { type DryRun, tryLead } from "../ingest/dry_run.ts";
import { type IngestedLead, ingestLead } from "../ingest/ingest.ts";
import { vendorLeadId } from "../ingest/lead.ts";
import { replayContext, type Vendor } from "../ingest/vendor.ts";
import { LEAD_NOTICE } from "../parsers/linkedin_lead_sync.ts";
import { NO_CONTACT_DETAILS } from "../parsers/meta.ts";
import { NOT_A_NEW_APPLICATION } from "../parsers/parser.ts";
import { leadgenNotices } from "./leadgen_notices.ts";

/** How many leads one body may hold. */
const MAX_LEADS = 1_000;

/** How many of them are on their way at a time: as many as one call takes. Each may wait 5 s for its call. */
const AT_A_TIME = 100;

/** The failures of the parsers for a notice of leads that have to be fetched. */
const NOTICES = [NO_CONTACT_DETAILS, LEAD_NOTICE];

/** How the leads of a delivery are taken in. */
export interface DeliveryOptions {
  dryRun: boolean;
  /** Null without an Idempotency-Key, and where the delivery has an id of its own. */
  idempotency: Idempotency | null;
  /** SHA-256 of the bytes that were proved, in hex. */
  hash: string;
}

/** What the vendor is told of one lead. */
export type LeadResponse = IngestedLead | DryRun | { status: "ignored" };

/** The same of one lead among several. */
export type LeadResult = LeadResponse | { error: { code: ErrorCode; message: string } };

/**
 * Takes in the one lead of a body, or ignores an event that is none. Of Meta's and LinkedIn's notices the journal keeps the ids,
 * so that their leads can be fetched.
 *
 * @throws ApiError as ingestLead() does.
 */
export async function receiveLead(
  c: AppContext,
  vendor: Vendor,
  payload: Json,
  options: DeliveryOptions,
): Promise<LeadResponse> {
  const response = await takeLead(c, vendor, payload, options, null);
  const lead_id = "id" in response && !options.dryRun ? response.id : undefined;
  Object.assign(c.get("log"), { lead_status: response.status, lead_id });
  return response;
}

/**
 * Takes in each lead of a body by itself. One that cannot be stored does not stop the others, and is in the journal.
 *
 * @param vendor with the parser that reads each of them
 * @throws ApiError PAYLOAD_TOO_LARGE beyond 1,000 leads. When the database or storage fails, its error: the delivery is
 * to be sent again, and the leads that are stored already are then duplicates.
 */
export async function receiveLeads(
  c: AppContext,
  vendor: Vendor,
  leads: Json[],
  options: DeliveryOptions,
): Promise<{ results: LeadResult[] }> {
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
        outcomes[part] = await takeLead(c, own.vendor, lead, own.options, part);
      } catch (error) {
        const refusal = error instanceof ApiError ? error : internalError(error);
        if (isAboutTheLead(refusal)) outcomes[part] = refusal;
        else failure = refusal;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, takeSome));

  // Refused whole, for example while the first delivery is at work, which writes the bad leads to the journal itself.
  if (failure !== undefined && failure.code !== "INTERNAL_ERROR") throw failure;
  for (const [row, payload] of leads.entries()) {
    const refusal = outcomes[row] ?? failure;
    if (!(refusal instanceof ApiError)) continue;
    const { code, message: reason } = refusal;
    const context = replayContext(partOf(vendor, options, row).vendor.credential);
    const vendor_lead_id = vendor.parse && vendorLeadId(vendor.parse, payload);
    journalOf(c)?.rejectRow({ row, code, reason, payload, vendor_lead_id, context });
  }
  if (failure !== undefined) throw failure;

  const results = outcomes.map(resultOf);
  Object.assign(c.get("log"), countResults(results));
  return { results };
}

/** What knows one lead of several when the delivery is repeated. */
function partOf(vendor: Vendor, options: DeliveryOptions, part: number) {
  const { webhook } = vendor.credential;
  if (webhook === null) return { vendor, options };
  const { hash, idempotency } = options;
  // A delivery that fails half way is sent again as it was. Without this its leads would have to have ids of their own.
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
  c: AppContext,
  vendor: Vendor,
  payload: Json,
  { dryRun, idempotency }: DeliveryOptions,
  row: number | null,
): Promise<LeadResponse> {
  const request = { request_id: c.get("requestId"), received_via: "webhook" as const };
  try {
    if (dryRun) return await tryLead(vendor, payload);
    return await ingestLead(vendor, payload, { ...request, idempotency });
  } catch (error) {
    const message = error instanceof ApiError && error.code === "BAD_REQUEST" ? error.message : "";
    if (NOTICES.includes(message)) keepNotices(c, payload, row, message);
    else if (message !== NOT_A_NEW_APPLICATION) throw error;
    return { status: "ignored" };
  }
}

/** Writes an entry for each lead that the vendor only gives notice of. */
function keepNotices(c: AppContext, payload: Json, row: number | null, reason: string): void {
  const notices = leadgenNotices(payload);
  for (const [index, { leadgen_id, notice }] of notices.entries()) {
    journalOf(c)?.rejectRow({
      row: row ?? (notices.length > 1 ? index : null),
      code: "BAD_REQUEST",
      reason,
      payload: notice,
      vendor_lead_id: leadgen_id,
    });
  }
}

/** Whether an error is about one lead, and would be the same if the delivery were sent again. */
function isAboutTheLead(error: ApiError): boolean {
  return error.code === "BAD_REQUEST" || error.code === "PAYLOAD_TOO_LARGE" || isRefused(error);
}

function resultOf(outcome: LeadResponse | ApiError): LeadResult {
  if (!(outcome instanceof ApiError)) return outcome;
  const { code, message } = outcome;
  return { error: { code, message } };
}

function countResults(results: LeadResult[]): Record<string, number> {
  const count = (status: string) =>
    results.filter((result) => "status" in result && result.status === status).length;
  return {
    created: count("created"),
    duplicates: count("duplicate"),
    ignored: count("ignored"),
    errors: results.filter((result) => "error" in result).length,
  };
}
