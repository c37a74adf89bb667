/** Fetches the leads for which a vendor sends only a notice. */
import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase, isRefused } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import { type Job, type Report, type RunContext, runJobs } from "../../_shared/jobs.ts";
import type { Json } from "../../_shared/json.ts";
import { logError } from "../../_shared/log.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { ingestLead } from "../ingest/ingest.ts";
import { toVendor } from "../ingest/vendor.ts";
import { NOT_A_NEW_APPLICATION } from "../parsers/parser.ts";
import { getLead, type GraphFailure } from "./graph.ts";

/**
 * A lease lasts 60 s. A fetch takes at most 10 s for each app secret, and storing the lead takes at most as long again.
 */
const RECORD_WITHIN_MS = 15_000;

/** A lead to fetch, as claim_lead_fetches() returns it. No other worker can claim it for 60 s. */
interface ClaimedFetch {
  id: string;
  /** Identifies the claim; reported with the outcome, like the id of the token. */
  attempt: number;
  leadgen_id: string;
  /** The request that brought the notice. */
  request_id: string;
  vendor_id: string;
  parser: string | null;
  parser_config: Json;
  token: { id: string; secret: string };
  /** The newest first. */
  app_secrets: string[];
}

/** The outcome of a fetch, as record_lead_fetch() expects it. */
interface Outcome {
  outcome: "done" | "later" | "missing" | "refused" | "failed";
  reason?: string;
  retry_after?: number | null;
  lead_id?: string;
  /** The response that could not be read as a lead. */
  payload?: Json;
}

let atWork: Promise<unknown> | null = null;
let isAskedAgain = false;

/** Fetches due leads after the response, in one loop per isolate, however many requests start it. */
export function fetchAfterResponse(requestId: string): void {
  isAskedAgain = true;
  atWork ??= fetchAll(requestId);
  continueAfterResponse(atWork);
}

async function fetchAll(requestId: string): Promise<void> {
  while (isAskedAgain) {
    isAskedAgain = false;
    await runJobs({ lead_fetches: leadFetches }, requestId);
  }
  // Reset in the same turn as the check above, so that no request relies on a loop that has ended.
  atWork = null;
}

/** Fetches the leads that are due, several at a time. */
export function leadFetches({ requestId }: RunContext): Job<ClaimedFetch> {
  return {
    atOnce: AT_A_TIME.fetches,
    claim: async (max) => ({ items: await callDatabase("claim_lead_fetches", { max }) }),
    handle: async (claim, report) => ({ state: await fetchLead(claim, requestId, report) }),
    idsOf: ({ id, vendor_id }) => ({ fetch_id: id, vendor_id }),
  };
}

/** Fetches and stores a lead, and records the outcome. Returns the resulting state. */
async function fetchLead(
  claim: ClaimedFetch,
  requestId: string,
  report: Report,
): Promise<"done" | "waiting" | "failed" | null> {
  const { id, attempt, vendor_id, leadgen_id, token, app_secrets } = claim;
  const answer = await getLead(leadgen_id, token.secret, app_secrets);
  const outcome = answer.ok
    ? await storeLead(claim, answer.body).catch((error): Outcome => {
      report(error);
      return { outcome: "later", reason: "not_stored" };
    })
    : outcomeOf(answer);
  if (outcome.outcome !== "done") {
    // The reason of a failed fetch may come from a parser and quote the lead; the rejected delivery contains it.
    const error_code = outcome.outcome === "failed" ? "lead_refused" : outcome.reason;
    logError({ request_id: requestId, event: "lead_not_fetched", fetch_id: id, vendor_id, error_code });
  }
  return await callDatabase("record_lead_fetch", { id, attempt, token_id: token.id, ...outcome } as never, {
    retryWithin: RECORD_WITHIN_MS,
  });
}

/** Returns the outcome for a failed request. https://developers.facebook.com/docs/graph-api/guides/error-handling */
export function outcomeOf({ status, code, subcode, retryAfterSeconds, reason: cause }: GraphFailure): Outcome {
  if (code === null) {
    const reason = cause === "refused" ? `HTTP ${status}` : cause;
    return { outcome: "later", reason, retry_after: retryAfterSeconds };
  }
  const reason = subcode === null ? `code ${code}` : `code ${code}/${subcode}`;
  if (code === 100 && subcode === 33) return { outcome: "missing", reason };
  // The token has expired or lacks a permission, or the request lacks its proof: the next lead would fail as well.
  const isRefused = [10, 100, 102, 190].includes(code) || code >= 200 && code < 300;
  return isRefused ? { outcome: "refused", reason } : { outcome: "later", reason, retry_after: retryAfterSeconds };
}

/**
 * Stores a fetched lead like any lead of a webhook. The token that fetched it is its proof.
 *
 * @throws whatever ingestLead() throws for an internal error
 */
async function storeLead({ request_id, leadgen_id, token, ...settings }: ClaimedFetch, body: Json): Promise<Outcome> {
  const webhook = { secret_id: token.id, delivery_id: null, part: 0 };
  const vendor = toVendor({ key_hash: null, webhook }, { ...settings, rate_limit: null });
  try {
    const payload = body as { id?: Json };
    if (String(payload.id) !== leadgen_id) return { outcome: "later", reason: "another_lead" };
    const lead = await ingestLead(vendor, body, { request_id, received_via: "webhook", idempotency: null });
    return { outcome: "done", lead_id: lead.id };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    if (message === NOT_A_NEW_APPLICATION) return { outcome: "done" };
    if (code === "BAD_REQUEST" || code === "PAYLOAD_TOO_LARGE") {
      return { outcome: "failed", reason: message, payload: body };
    }
    if (isRefused(error)) return { outcome: "failed", reason: "the database refuses the lead", payload: body };
    // The token was removed after the claim.
    if (code === "UNAUTHORIZED") return { outcome: "later", reason: "token_changed" };
    throw error;
  }
}
