/**
 * The life of a lead in the database. It waits for a call, goes with all leads that have arrived by then, and comes
 * back in one of five states. Each has its branch in `#process`, whose promise the lead's request awaits: whatever throws,
 * the request has its response.
 *
 * A call repeated with the same ids does no harm. So a call whose response is lost is repeated. When that does not
 * help, the database decides what became of its leads. The leads of a call that is refused as a whole go again, each
 * alone, so that what concerns one lead stays that lead's.
 */
import { setImmediate } from "node:timers";
import { callDatabase, type CallOptions, databaseError, isCausedByInput, mayHaveRun } from "../../_shared/database.ts";
import { internalError } from "../../_shared/errors.ts";
import type { Idempotency } from "../../_shared/body/json.ts";
import { NoPermit } from "../../_shared/semaphore.ts";
import { AT_A_TIME, SEMAPHORES } from "../../_shared/semaphores.ts";
import { MIB } from "../../_shared/units.ts";
import { type Lead, logUnrecorded } from "./lead.ts";
import { distributeAfterResponse, together, waitForDistribution } from "./pending.ts";
import { type RefusedLead, type StoredLead, UnknownOutcome } from "./responses.ts";
import { errorFor, type Vendor } from "./vendor.ts";

/** A lead as it goes to the database. The request makes its id. */
export interface SentLead {
  vendor: Pick<Vendor, "id" | "credential">;
  lead: Lead & { id: string; resume_path: string | null };
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** The outcome of a lead in its call. */
type Outcome =
  | { state: "stored" | "duplicate"; result: StoredLead }
  | { state: "refused"; error: unknown }
  /** Stored, perhaps not on disk. The id may be that of an earlier request with the same Idempotency-Key. */
  | { state: "pending"; id: string }
  /** Nobody knows whether a lead with this id is stored. */
  | { state: "unknown"; id: string; error: unknown };

/** The calls of the database by which leads are stored. Tests put others in their place. */
export const STORE_CALLS = {
  /** One result for each lead, in their order. */
  ingest(leads: SentLead[]): Promise<(StoredLead | RefusedLead)[]> {
    const sent = leads.map(({ vendor: { credential }, lead, idempotency }) => {
      return { ...credential, lead, idempotency };
    });
    const options: CallOptions = { retryWithin: 3_000, canSplit: leads.length > 1 };
    return callDatabase("ingest_recruiting_leads", { leads: sent }, options);
  },
  /** The lead where it is stored. Else it cannot be stored any more. */
  abandon: together((lead_ids): Promise<Record<string, StoredLead | null>> => {
    // A little more than the statement timeout, so that it may be repeated.
    return callDatabase("abandon_recruiting_leads", { lead_ids }, { retryWithin: 4_500 });
  }),
  waitForDistribution,
  distributeAfterResponse,
};

/** The most that one call takes, in leads and in characters of JSON. A larger lead goes alone. */
const CALL = { leads: 100, size: MIB };

/**
 * When a second call may begin beside the first, in milliseconds. A call that distributes nothing for so long waits for
 * the disk, and the second one can share its commit. Two that distribute are in each other's way, so then the first
 * must seem to hang.
 */
const SECOND_CALL_MS = { distributing: 500, storing: 3 };

/**
 * The milliseconds that leads which waited for a distributing call wait for others. A vendor that sends lead after lead
 * sends the next one as soon as it has a response. Without this pause leads would go in two halves, turn by turn.
 */
const GATHER_MS = 1;

/** A lead that no call has taken yet. It is resolved with its outcome, or with null: it has to go again, alone. */
interface QueuedLead extends SentLead {
  resolve(outcome: Outcome | null): void;
  reject(error: unknown): void;
  giveUpAt: number;
  isGivenUp: boolean;
}

/** The leads of an isolate on their way to the database. They share one call at a time, or two. */
export class LeadBatcher {
  readonly #calls: typeof STORE_CALLS;
  readonly #waitMs: number;
  /** Those that no call has taken yet, oldest first. */
  readonly #untaken = new Set<QueuedLead>();
  /** Those that the next call may take, by vendor. The first vendor has the next turn, and is the last after it. */
  readonly #ready = new Map<string, QueuedLead[]>();
  /** By what the database recognizes a lead by: ends when all leads with it, so far, have their responses. */
  readonly #latest = new Map<string, Promise<void>>();
  #underWay = 0;
  #startedAt = 0;
  /** The next call begins at this time, or when so many leads wait. */
  #gathering = { until: 0, leads: 0 };
  #isDistributing = true;
  #willLook = false;
  #timer: { at: number; id: ReturnType<typeof setTimeout> } | undefined;

  constructor(calls: Partial<typeof STORE_CALLS> = {}, waitMs = AT_A_TIME.leadCalls.waitMs) {
    this.#calls = { ...STORE_CALLS, ...calls };
    this.#waitMs = waitMs;
  }

  /**
   * Stores a lead and distributes it.
   *
   * @throws ApiError UNAUTHORIZED for a key that has been revoked; CONFLICT and IDEMPOTENCY_KEY_REUSED; INTERNAL_ERROR
   * when the database fails or no call takes the lead within 5 s. It is an UnknownOutcome when nobody knows whether the
   * lead is stored.
   */
  store(sent: SentLead): Promise<StoredLead> {
    const { promise, resolve } = Promise.withResolvers<StoredLead>();
    resolve(this.#process(sent, this.#follow(idsOf(sent), promise)));
    return promise;
  }

  /** @param isRepeated a crash of the database has taken the lead before it was on disk */
  async #process(sent: SentLead, earlier?: Promise<unknown>, isRepeated = false): Promise<StoredLead> {
    const { lead, vendor: { credential } } = sent;
    const outcome = await this.#enqueue(sent, earlier) ?? await this.#retryAlone(sent);
    switch (outcome.state) {
      case "stored":
        return outcome.result;

      case "duplicate":
        logUnrecorded(lead.request_id, "record_error" in outcome.result ? outcome.result.record_error : undefined);
        return outcome.result;

      case "refused":
        throw errorFor(credential, outcome.error);

      case "pending": {
        const { id } = outcome;
        const found = await this.#calls.waitForDistribution(id)
          .catch((error: unknown) => this.#abandon(sent, id, error));
        // Without its lead, what is kept for an Idempotency-Key says still what the first request was told.
        const isKept = isRepeated && id !== lead.id;
        if ("status" in found) return found;
        if (found.distribution !== null || isKept) {
          return { id, status: "created", distributed_to: found.distributed_to };
        }
        if (isRepeated) throw internalError("the lead was lost twice");
        return await this.#process(sent, undefined, true);
      }

      case "unknown":
        return await this.#abandon(sent, outcome.id, outcome.error);
    }
  }

  /**
   * Has the database decide what became of a lead when nobody knows whether it is stored.
   *
   * @returns the lead, which is on disk
   * @throws what the lead's call has failed with, when it is not stored and cannot be any more: it may be sent again;
   * an UnknownOutcome when the database does not respond.
   */
  async #abandon(sent: SentLead, id: string, fault: unknown): Promise<StoredLead> {
    const { [id]: stored } = await this.#calls.abandon(id).catch((error: unknown) => {
      const isSafe = isRecognized(sent.vendor, sent.lead) || sent.idempotency !== null;
      throw new UnknownOutcome(isSafe, (error as Error).cause ?? error);
    });
    if (!stored) throw fault;
    if (isPending(stored)) this.#calls.distributeAfterResponse(id);
    return stored;
  }

  /** Sends a lead again by itself, because the call that it shared was refused. */
  async #retryAlone(sent: SentLead): Promise<Outcome> {
    const [outcome] = await SEMAPHORES.vendorCalls.run(() => this.#call([sent]));
    return outcome!;
  }

  /** Makes one call. Its outcomes are null when something that one of several leads brought has made it fail. */
  async #call(leads: SentLead[]): Promise<(Outcome | null)[]> {
    try {
      const results = await this.#calls.ingest(leads);
      return leads.map(({ lead: { id } }, index) => outcomeOf(results[index], id));
    } catch (error) {
      if (leads.length > 1 && isCausedByInput(error)) return leads.map(() => null);
      const state = mayHaveRun(error) ? "unknown" : "refused";
      return leads.map(({ lead: { id } }) => ({ state, id, error }));
    }
  }

  /**
   * Notes that a lead with these ids is on its way. Leads that the database may take for the same never share a call,
   * because what becomes of the second depends on the first.
   *
   * @returns resolves when the earlier ones have their responses; undefined where there are none
   */
  #follow(ids: string[], answered: Promise<unknown>): Promise<unknown> | undefined {
    if (ids.length === 0) return undefined;
    const earlier = ids.map((id) => this.#latest.get(id)).filter((end) => end !== undefined);
    // A lead may be given up before the earlier ones have ended.
    const end = Promise.allSettled([answered, ...earlier]).then(() => {
      for (const id of ids) if (this.#latest.get(id) === end) this.#latest.delete(id);
    });
    for (const id of ids) this.#latest.set(id, end);
    return earlier.length === 0 ? undefined : Promise.all(earlier);
  }

  /** Waits for a call, and for what it says of the lead. */
  #enqueue(sent: SentLead, earlier?: Promise<unknown>): Promise<Outcome | null> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome | null>();
    const giveUpAt = performance.now() + this.#waitMs;
    const lead: QueuedLead = { ...sent, resolve, reject, giveUpAt, isGivenUp: false };
    this.#untaken.add(lead);
    if (earlier === undefined) this.#makeReady(lead);
    else {
      this.#lookAt(giveUpAt);
      earlier.then(() => this.#makeReady(lead)).catch(reject);
    }
    return promise;
  }

  #makeReady(lead: QueuedLead): void {
    const ofVendor = this.#ready.get(lead.vendor.id);
    if (ofVendor === undefined) this.#ready.set(lead.vendor.id, [lead]);
    else ofVendor.push(lead);

    // Leads whose requests have arrived already go in the same call.
    if (this.#willLook) return;
    this.#willLook = true;
    setImmediate(() => {
      this.#willLook = false;
      this.#look();
    });
  }

  /** Starts a call where one may begin, and looks again when there is something to do by then. */
  #look(): void {
    const now = performance.now();
    for (const lead of this.#untaken) {
      if (lead.giveUpAt > now) break;
      this.#untaken.delete(lead);
      lead.isGivenUp = true;
      lead.reject(internalError(new NoPermit()));
    }

    const pause = this.#isDistributing ? SECOND_CALL_MS.distributing : SECOND_CALL_MS.storing;
    let startAt = Infinity;
    if (this.#ready.size > 0 && this.#underWay < AT_A_TIME.leadCalls.calls) {
      const { until, leads } = this.#gathering;
      startAt = this.#underWay > 0 ? this.#startedAt + pause : this.#untaken.size >= leads ? now : Math.max(now, until);
      if (startAt <= now) {
        const leads = this.#take();
        if (leads.length > 0) this.#start(leads).catch((error) => leads.forEach((lead) => lead.reject(error)));
        return this.#look();
      }
    }
    const [oldest] = this.#untaken;
    if (oldest !== undefined) this.#lookAt(Math.min(startAt, oldest.giveUpAt));
    else if (this.#underWay === 0) this.#stopLooking();
  }

  #lookAt(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#stopLooking();
    const look = () => {
      this.#timer = undefined;
      this.#look();
    };
    this.#timer = { at, id: setTimeout(look, Math.max(at - performance.now(), 0)) };
  }

  #stopLooking(): void {
    clearTimeout(this.#timer?.id);
    this.#timer = undefined;
  }

  async #start(leads: QueuedLead[]): Promise<void> {
    this.#underWay++;
    this.#startedAt = performance.now();
    try {
      const outcomes = await this.#call(leads);
      this.#isDistributing = outcomes.some(distributes);
      for (const [index, lead] of leads.entries()) lead.resolve(outcomes[index]!);
    } finally {
      this.#underWay--;
      const waiting = this.#untaken.size;
      if (waiting > 0 && this.#isDistributing) {
        this.#gathering = { until: performance.now() + GATHER_MS, leads: waiting + leads.length };
      }
      this.#look();
    }
  }

  /** Takes what fits into one call, one lead of each vendor after the other. */
  #take(): QueuedLead[] {
    const taken: QueuedLead[] = [];
    let size = 0;
    for (const [vendorId, ofVendor] of this.#ready) {
      const lead = ofVendor[0]!;
      if (!lead.isGivenUp) {
        // A lead alone in its call may have any size.
        if (taken.length > 0 || this.#untaken.size > 1) size += JSON.stringify(lead.lead).length;
        if (taken.length === CALL.leads || taken.length > 0 && size > CALL.size) break;
        this.#untaken.delete(lead);
        taken.push(lead);
      }
      this.#ready.delete(vendorId);
      ofVendor.shift();
      if (ofVendor.length > 0) this.#ready.set(vendorId, ofVendor);
    }
    return taken;
  }
}

/** The outcome of the lead with this id, by its result of ingest_recruiting_leads(). */
function outcomeOf(result: StoredLead | RefusedLead | undefined, id: string): Outcome {
  if (result === undefined) return { state: "unknown", id, error: internalError("the lead has no result") };
  if ("error" in result) return { state: "refused", error: databaseError(result.error.code, result.error.message) };
  if (isPending(result)) return { state: "pending", id: result.id };
  return { state: result.status === "created" ? "stored" : "duplicate", result };
}

function isPending(result: StoredLead): boolean {
  return result.status === "created" && result.distribution === "pending";
}

/** Whether a call with this outcome of a lead has distributed, or nobody knows. */
function distributes(outcome: Outcome | null): boolean {
  if (outcome?.state !== "stored") return outcome?.state !== "duplicate" && outcome?.state !== "refused";
  return outcome.result.status === "created" && outcome.result.distributed_to !== null;
}

/** The ids by which the database may take another lead for the same. */
function idsOf({ vendor: { id, credential: { webhook } }, lead, idempotency }: SentLead): string[] {
  const ids: string[] = [];
  if (lead.vendor_lead_id !== null) ids.push(`${id} lead ${lead.vendor_lead_id}`);
  if (idempotency !== null) ids.push(`${id} key ${idempotency.part} ${idempotency.key}`);
  if (typeof webhook?.delivery_id === "string") {
    ids.push(`${id} delivery ${webhook.part} ${webhook.delivery_id}`);
  }
  return ids;
}

/** Whether the lead has an id of the vendor, or of the webhook's delivery, by which a repeat is known. */
export function isRecognized(
  { credential }: SentLead["vendor"],
  { vendor_lead_id }: Pick<SentLead["lead"], "vendor_lead_id">,
): boolean {
  return vendor_lead_id !== null || typeof credential.webhook?.delivery_id === "string";
}

/** The leads of this isolate. */
export const leadBatcher = new LeadBatcher();
