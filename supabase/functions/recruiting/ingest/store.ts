/**
 * Stores leads in the database in shared calls. A lead waits for a call, is sent with all leads that have arrived by
 * then, and gets one of five outcomes. Each outcome has its branch in `#process`, whose promise the lead's request
 * awaits: whatever is thrown, the request gets a response.
 *
 * A call is idempotent for its ids, so a call whose response is lost is repeated. If that fails too, the database
 * decides the outcome of its leads. If a call is refused as a whole, each of its leads is sent again alone, so that an
 * invalid lead affects no other.
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

/** A lead as it is sent to the database. The request generates its id. */
export interface SentLead {
  vendor: Pick<Vendor, "id" | "credential">;
  lead: Lead & { id: string; resume_path: string | null };
  /** Null if the request has no Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** The outcome of a lead in its call. */
type Outcome =
  | { state: "stored" | "duplicate"; result: StoredLead }
  | { state: "refused"; error: unknown }
  /** Stored, but possibly not on disk. The id may be that of an earlier request with the same Idempotency-Key. */
  | { state: "pending"; id: string }
  /** It is unknown whether a lead with this id is stored. */
  | { state: "unknown"; id: string; error: unknown };

/** The database calls that store leads. Tests replace them. */
export const STORE_CALLS = {
  /** Returns one result for each lead, in order. */
  ingest(leads: SentLead[]): Promise<(StoredLead | RefusedLead)[]> {
    const sent = leads.map(({ vendor: { credential }, lead, idempotency }) => {
      return { ...credential, lead, idempotency };
    });
    const options: CallOptions = { retryWithin: 3_000, canSplit: leads.length > 1 };
    return callDatabase("ingest_recruiting_leads", { leads: sent }, options);
  },
  /** Returns the lead if it is stored. Otherwise it can no longer be stored. */
  abandon: together((lead_ids): Promise<Record<string, StoredLead | null>> => {
    // Longer than the statement timeout, so that the call can be retried.
    return callDatabase("abandon_recruiting_leads", { lead_ids }, { retryWithin: 4_500 });
  }),
  waitForDistribution,
  distributeAfterResponse,
};

/** The maximum per call, in leads and in characters of JSON. A larger lead is sent alone. */
const CALL = { leads: 100, size: MIB };

/**
 * When a second call may begin beside the first, in milliseconds. A call that distributes nothing for this long is
 * waiting for the disk, and a second call can share its commit. Two distributing calls block each other, so a second
 * one begins only if the first seems to hang.
 */
const SECOND_CALL_MS = { distributing: 500, storing: 3 };

/**
 * How many milliseconds leads that waited for a distributing call wait for others. A vendor that sends leads one after
 * another sends the next as soon as it has a response. Without this pause, leads would alternate between two halves.
 */
const GATHER_MS = 1;

/** A lead that is not in a call yet. It resolves to its outcome, or to null if it must be sent again, alone. */
interface QueuedLead extends SentLead {
  resolve(outcome: Outcome | null): void;
  reject(error: unknown): void;
  giveUpAt: number;
  isGivenUp: boolean;
}

/** The leads of an isolate that wait for the database. They share one call at a time, or two. */
export class LeadBatcher {
  readonly #calls: typeof STORE_CALLS;
  readonly #waitMs: number;
  /** The leads that are not in a call yet, oldest first. */
  readonly #untaken = new Set<QueuedLead>();
  /**
   * The leads that the next call may take, by vendor. The first vendor has the next turn, and then moves to the end.
   */
  readonly #ready = new Map<string, QueuedLead[]>();
  /**
   * By identity of a lead in the database: a promise that settles when all earlier leads with it have their responses.
   */
  readonly #latest = new Map<string, Promise<void>>();
  #underWay = 0;
  #startedAt = 0;
  /** The next call begins at this time, or when this many leads wait. */
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
   * @throws ApiError UNAUTHORIZED if the key has been revoked; CONFLICT and IDEMPOTENCY_KEY_REUSED; INTERNAL_ERROR if
   * the database fails or no call takes the lead within 5 s; UnknownOutcome if it is unknown whether the lead is
   * stored.
   */
  store(sent: SentLead): Promise<StoredLead> {
    const { promise, resolve } = Promise.withResolvers<StoredLead>();
    resolve(this.#process(sent, this.#follow(idsOf(sent), promise)));
    return promise;
  }

  /** @param isRepeated whether the lead was lost in a crash of the database before it was on disk */
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
        // The lead is gone, but the stored response of the Idempotency-Key still refers to it.
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
   * Lets the database decide the outcome of a lead when it is unknown whether it is stored.
   *
   * @returns the lead, which is on disk
   * @throws the error of the lead's call, if the lead is not stored and no longer can be: it may be sent again; an
   * UnknownOutcome if the database does not respond.
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

  /** Sends a lead again alone, because its shared call was refused. */
  async #retryAlone(sent: SentLead): Promise<Outcome> {
    const [outcome] = await SEMAPHORES.vendorCalls.run(() => this.#call([sent]));
    return outcome!;
  }

  /** Makes a call. The outcomes are null if one of several leads made the call fail. */
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
   * Registers a lead with these ids. Leads that the database may consider duplicates never share a call, because the
   * outcome of the second depends on the first.
   *
   * @returns resolves when the earlier leads have their responses; undefined if there are none
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

  /** Queues a lead for a call, and resolves to its outcome. */
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

    // Leads whose requests have already arrived join the same call.
    if (this.#willLook) return;
    this.#willLook = true;
    setImmediate(() => {
      this.#willLook = false;
      this.#look();
    });
  }

  /** Starts a call if one may begin, and schedules the next check if necessary. */
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

  /** Takes the leads that fit into one call, one of each vendor in turn. */
  #take(): QueuedLead[] {
    const taken: QueuedLead[] = [];
    let size = 0;
    for (const [vendorId, ofVendor] of this.#ready) {
      const lead = ofVendor[0]!;
      if (!lead.isGivenUp) {
        // A lead that is alone in its call may have any size.
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

/** Returns the outcome of the lead with this id from its result of ingest_recruiting_leads(). */
function outcomeOf(result: StoredLead | RefusedLead | undefined, id: string): Outcome {
  if (result === undefined) return { state: "unknown", id, error: internalError("the lead has no result") };
  if ("error" in result) return { state: "refused", error: databaseError(result.error.code, result.error.message) };
  if (isPending(result)) return { state: "pending", id: result.id };
  return { state: result.status === "created" ? "stored" : "duplicate", result };
}

function isPending(result: StoredLead): boolean {
  return result.status === "created" && result.distribution === "pending";
}

/** Whether a call with this outcome has distributed the lead, or may have. */
function distributes(outcome: Outcome | null): boolean {
  if (outcome?.state !== "stored") return outcome?.state !== "duplicate" && outcome?.state !== "refused";
  return outcome.result.status === "created" && outcome.result.distributed_to !== null;
}

/** Returns the ids by which the database may recognize another lead as a duplicate. */
function idsOf({ vendor: { id, credential: { webhook } }, lead, idempotency }: SentLead): string[] {
  const ids: string[] = [];
  if (lead.vendor_lead_id !== null) ids.push(`${id} lead ${lead.vendor_lead_id}`);
  if (idempotency !== null) ids.push(`${id} key ${idempotency.part} ${idempotency.key}`);
  if (typeof webhook?.delivery_id === "string") {
    ids.push(`${id} delivery ${webhook.part} ${webhook.delivery_id}`);
  }
  return ids;
}

/** Whether the lead has an id of the vendor, or of the webhook's delivery, by which a duplicate is recognized. */
export function isRecognized(
  { credential }: SentLead["vendor"],
  { vendor_lead_id }: Pick<SentLead["lead"], "vendor_lead_id">,
): boolean {
  return vendor_lead_id !== null || typeof credential.webhook?.delivery_id === "string";
}

export const leadBatcher = new LeadBatcher();
