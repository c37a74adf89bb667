/**
 * The calls that store leads, each for as many as have come together (lead_queue.ts).
 *
 * A call repeated with the same ids does no harm. So a call whose response is lost is repeated; and when that does not
 * help, the database decides what became of its leads. A call that the database refuses as a whole is divided, so that
 * what concerns one lead stays that lead's.
 */
import { callDatabase, type CallOptions, databaseError, isOfItsParts, mayHaveRun } from "../../_shared/database.ts";
import { ApiError, internalError } from "../../_shared/errors.ts";
import { SEMAPHORES } from "../../_shared/semaphores.ts";
import { logUnrecorded } from "./lead.ts";
import { LeadQueue, type QueuedLead, type SentLead } from "./lead_queue.ts";
import { distributeAfterResponse, waitForDistribution } from "./pending_leads.ts";
import type { RefusedLead, StoredLead } from "./responses.ts";
import { errorFor } from "./vendor_calls.ts";

/** For how long a passing fault of the database is retried. */
const RETRY: CallOptions = { retryWithin: 3_000 };

/** A little more than the statement timeout of `abandon_recruiting_leads`, which may be repeated. */
const ABANDON: CallOptions = { retryWithin: 4_500 };

/** What came before a call. */
interface Attempt {
  /** The call brings a part of what was refused. */
  isPart?: true;
  /** A crash of the database has taken the leads before they were on disk. */
  isRepeated?: true;
}

const queue = new LeadQueue(sendLeads);

/**
 * Stores a lead and distributes it. The caller makes its id.
 *
 * @throws ApiError UNAUTHORIZED for a key that has been revoked; CONFLICT and IDEMPOTENCY_KEY_REUSED; INTERNAL_ERROR
 * when the database fails, which is an UnknownOutcome when nobody knows whether the lead is stored.
 */
export function insertLead(lead: SentLead): Promise<StoredLead> {
  return queue.add(lead);
}

/** Nobody can say whether the lead was stored: the database does not respond at all. */
export class UnknownOutcome extends ApiError {
  constructor({ vendor, lead, idempotency }: SentLead, cause: unknown) {
    const message = isRecognized(vendor, lead) || idempotency !== null
      ? "the request could not be completed; send the same request again"
      : "the request could not be completed, and the lead may have been stored; sent again without a vendor_lead_id " +
        "or an Idempotency-Key it may be stored twice";
    super("INTERNAL_ERROR", message, { cause });
  }
}

/** Whether the lead has an id of the vendor, or of the webhook's delivery, by which a repeat is known. */
export function isRecognized(
  { credential }: SentLead["vendor"],
  { vendor_lead_id }: Pick<SentLead["lead"], "vendor_lead_id">,
): boolean {
  return vendor_lead_id !== null || typeof credential.webhook?.delivery_id === "string";
}

async function sendLeads(
  leads: QueuedLead[],
  attempt: Attempt = {},
): Promise<{ handsOut: boolean }> {
  const sent = leads.map(({ vendor: { credential }, lead, idempotency }) => {
    return { ...credential, lead, idempotency };
  });
  try {
    const options = { ...RETRY, isDivisible: leads.length > 1 };
    const results: (StoredLead | RefusedLead)[] = await callDatabase(
      "ingest_recruiting_leads",
      { leads: sent },
      options,
    );
    settle(leads, results, attempt);
    return { handsOut: results.some(isHandedOut) };
  } catch (error) {
    if (leads.length > 1 && isOfItsParts(error)) divide(leads, attempt);
    else if (mayHaveRun(error)) settleUnknown(leads, error, attempt);
    else for (const lead of leads) lead.fail(error);
    return { handsOut: true };
  }
}

function isHandedOut(result: StoredLead | RefusedLead): boolean {
  return "status" in result && result.status === "created" &&
    (result.distribution === "pending" || result.distributed_to !== null);
}

/** Sends the leads of a call that was refused by halves, and those of a half by themselves. */
function divide(leads: QueuedLead[], attempt: Attempt): void {
  const size = attempt.isPart ? 1 : Math.ceil(leads.length / 2);
  for (let start = 0; start < leads.length; start += size) {
    const part = leads.slice(start, start + size);
    SEMAPHORES.vendorCalls.run(() => sendLeads(part, { ...attempt, isPart: true }))
      .catch((error) => part.forEach((lead) => lead.fail(error)));
  }
}

/** Gives each lead its result. The database is asked where the pending ones went. */
async function settle(
  leads: QueuedLead[],
  results: (StoredLead | RefusedLead)[],
  { isRepeated }: Attempt,
): Promise<void> {
  const pending: PendingLead[] = [];
  for (const [index, lead] of leads.entries()) {
    const result = results[index]!;
    if ("error" in result) {
      const { code, message } = result.error;
      lead.fail(errorFor(lead.vendor.credential, databaseError(code, message)));
    } else if (result.status === "created" && result.distribution === "pending") {
      pending.push({ ...lead, id: result.id });
    } else {
      if (result.status === "duplicate") logUnrecorded(lead.lead.request_id, result.record_error);
      lead.answer(result);
    }
  }
  if (pending.length > 0) await settlePending(pending, isRepeated);
}

/** A lead that is stored, with the id of its row: that of an earlier request with the same Idempotency-Key, perhaps. */
interface PendingLead extends QueuedLead {
  id: string;
}

async function settlePending(leads: PendingLead[], isRepeated = false): Promise<void> {
  const lost: PendingLead[] = [];
  const unknown: PendingLead[] = [];
  let fault: unknown;
  await Promise.all(leads.map(async (lead) => {
    try {
      const { distribution, distributed_to } = await waitForDistribution(lead.id);
      // Without its lead, what is kept for an Idempotency-Key says still what the first request was told.
      const isAnswer = distribution !== null || (isRepeated && lead.id !== lead.lead.id);
      if (isAnswer) lead.answer({ id: lead.id, status: "created", distributed_to });
      else lost.push(lead);
    } catch (error) {
      unknown.push(lead);
      fault = error;
    }
  }));

  // A crash of the database took them before they were on disk.
  if (!isRepeated && lost.length > 0) sendLeads(lost, { isRepeated: true });
  else for (const lead of lost) lead.fail(internalError("the lead was lost twice"));

  for (const [lead, late] of await abandon(unknown, fault, ({ id }) => id)) {
    distributeAfterResponse(late.id);
    lead.answer(late);
  }
}

async function settleUnknown(leads: QueuedLead[], fault: unknown, attempt: Attempt): Promise<void> {
  const stored = await abandon(leads, fault, ({ lead: { id } }) => id);
  settle(stored.map(([lead]) => lead), stored.map(([, late]) => late), attempt);
}

/**
 * Has the database decide what became of leads when nobody knows whether they are stored. Those that are not, cannot be
 * stored any more; they fail, and it is safe to send them again.
 *
 * @returns those that are stored
 */
async function abandon<Lead extends QueuedLead>(
  leads: Lead[],
  fault: unknown,
  idOf: (lead: Lead) => string,
): Promise<[Lead, StoredLead][]> {
  if (leads.length === 0) return [];
  const stored: [Lead, StoredLead][] = [];
  try {
    const args = { lead_ids: leads.map(idOf) };
    const found: Record<string, StoredLead | null> = await callDatabase(
      "abandon_recruiting_leads",
      args,
      ABANDON,
    );
    for (const lead of leads) {
      const late = found[idOf(lead)];
      if (late) stored.push([lead, late]);
      else lead.fail(fault);
    }
  } catch (error) {
    for (const lead of leads) lead.fail(new UnknownOutcome(lead, (error as Error).cause));
  }
  return stored;
}
