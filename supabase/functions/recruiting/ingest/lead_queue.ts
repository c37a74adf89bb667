/**
 * The leads of this isolate on their way to the database. What arrives together goes together: the leads of all
 * requests share one call at a time. Each gets its own result, whatever becomes of the others.
 */
import { setImmediate } from "node:timers";
import { internalError } from "../../_shared/errors.ts";
import type { Idempotency } from "../../_shared/json_body.ts";
import { NoPermit } from "../../_shared/semaphore.ts";
import { MIB } from "../../_shared/units.ts";
import type { Lead } from "./lead.ts";
import type { StoredLead } from "./responses.ts";
import type { Vendor } from "./vendor.ts";

/** A lead as it goes to the database. */
export interface SentLead {
  vendor: Pick<Vendor, "id" | "credential">;
  lead: Lead & { id: string; resume_path: string | null };
  /** Null without an Idempotency-Key. */
  idempotency: Idempotency | null;
}

/** A lead, and the request that waits to hear what became of it: by `answer` or `fail`. */
export interface QueuedLead extends SentLead {
  answer(result: StoredLead): void;
  fail(error: unknown): void;
}

/**
 * Makes one call for some leads. It never rejects, and each lead gets its answer, perhaps later.
 *
 * @returns resolves when the next call may begin, to whether this one had leads to hand out
 */
export type SendLeads = (leads: QueuedLead[]) => Promise<{ handsOut: boolean }>;

/** What one call takes, at most, in leads and in characters of JSON. A larger lead goes alone. */
const CALL = { leads: 100, size: MIB };

/** How long a lead waits for its call, in milliseconds. */
const WAIT_MS = 5_000;

/**
 * When a second call may begin beside the first, in milliseconds. A call that hands nothing out for so long waits for
 * the disk, and the second one can share its commit. Two that hand leads out are in each other's way, so then the first
 * must seem to hang.
 */
const SECOND_CALL_MS = { handingOut: 500, storing: 3 };
const MAX_CALLS = 2;

/** A lead that no call has taken yet. */
interface WaitingLead extends QueuedLead {
  giveUpAt: number;
  isGivenUp: boolean;
}

export class LeadQueue {
  readonly #send: SendLeads;
  readonly #waitMs: number;
  /** Those that no call has taken yet, oldest first. */
  readonly #untaken = new Set<WaitingLead>();
  /** Those that the next call may take, by vendor. The first vendor has the next turn, and is the last after it. */
  readonly #ready = new Map<string, WaitingLead[]>();
  /** By what the database recognizes a lead by: ends when all leads with it, so far, have their answers. */
  readonly #latest = new Map<string, Promise<void>>();
  #calls = 0;
  #startedAt = 0;
  #handsOut = true;
  #willLook = false;
  #timer: { at: number; id: ReturnType<typeof setTimeout> } | undefined;

  constructor(send: SendLeads, waitMs = WAIT_MS) {
    this.#send = send;
    this.#waitMs = waitMs;
  }

  /**
   * Sends a lead with the next call.
   *
   * @throws ApiError INTERNAL_ERROR when no call takes it within 5 s; what its call fails it with.
   */
  add(sent: SentLead): Promise<StoredLead> {
    const { promise, resolve: answer, reject: fail } = Promise.withResolvers<StoredLead>();
    const giveUpAt = performance.now() + this.#waitMs;
    const lead: WaitingLead = { ...sent, answer, fail, giveUpAt, isGivenUp: false };
    this.#untaken.add(lead);
    const earlier = this.#follow(idsOf(sent), promise);
    if (earlier === undefined) this.#enqueue(lead);
    else earlier.then(() => this.#enqueue(lead));
    return promise;
  }

  /**
   * Notes that a lead with these ids is on its way. Leads that the database may take for the same never share a call,
   * because what becomes of the second depends on the first.
   *
   * @returns resolves when the earlier ones have their answers; undefined where there are none
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

  #enqueue(lead: WaitingLead): void {
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
      lead.fail(internalError(new NoPermit()));
    }

    const pause = this.#handsOut ? SECOND_CALL_MS.handingOut : SECOND_CALL_MS.storing;
    let startAt = Infinity;
    if (this.#ready.size > 0 && this.#calls < MAX_CALLS) {
      startAt = this.#calls === 0 ? now : this.#startedAt + pause;
      if (startAt <= now) return void this.#start();
    }
    const [oldest] = this.#untaken;
    if (oldest !== undefined) this.#lookAt(Math.min(startAt, oldest.giveUpAt));
    else if (this.#calls === 0) this.#stopLooking();
  }

  #lookAt(at: number): void {
    if (this.#timer !== undefined && this.#timer.at <= at) return;
    this.#stopLooking();
    const look = () => {
      this.#timer = undefined;
      this.#look();
    };
    this.#timer = { at, id: setTimeout(look, at - performance.now()) };
  }

  #stopLooking(): void {
    clearTimeout(this.#timer?.id);
    this.#timer = undefined;
  }

  async #start(): Promise<void> {
    const leads = this.#take();
    if (leads.length > 0) {
      this.#calls++;
      this.#startedAt = performance.now();
      const sending = this.#send(leads);
      this.#look();
      this.#handsOut = (await sending).handsOut;
      this.#calls--;
    }
    this.#look();
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

/** What the database may recognize a lead by, so that it takes another one for the same. */
function idsOf({ vendor: { id, credential: { webhook } }, lead, idempotency }: SentLead): string[] {
  const ids: string[] = [];
  if (lead.vendor_lead_id !== null) ids.push(`${id} lead ${lead.vendor_lead_id}`);
  if (idempotency !== null) ids.push(`${id} key ${idempotency.part} ${idempotency.key}`);
  if (typeof webhook?.delivery_id === "string") {
    ids.push(`${id} delivery ${webhook.part} ${webhook.delivery_id}`);
  }
  return ids;
}
