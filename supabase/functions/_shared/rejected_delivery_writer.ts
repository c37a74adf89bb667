import { KEPT_BYTES } from "./body/limits.ts";
import { callDatabase } from "./database.ts";
import type { Json, JsonObject } from "./json.ts";
import { describeError, logError } from "./log.ts";
import { MIB } from "./units.ts";

/** A rejected delivery in the form that `record_rejections()` takes. */
export interface RejectedDelivery {
  request_id: string;
  route: string;
  vendor_id: string | null;
  vendor_lead_id: string | null;
  row: number | null;
  code: string;
  reason: string;
  payload: Json;
  payload_text: string | null;
  payload_bytes: number;
  context: JsonObject;
}

/** The maximum per call: deliveries, and bytes as received. */
const CALL = { deliveries: 500, bytes: MIB };

/** The maximum that may wait to be written. The isolate's memory is needed for requests. */
const WAITING = { deliveries: 20_000, bytes: 16 * MIB };

/** Slightly longer than the statement timeout of `record_rejections`. */
const TIMEOUT_MS = 4_000;

/**
 * How many milliseconds single deliveries wait for others after a call. A call costs as much as storing several leads,
 * and a refused lead must not cost more than a stored one.
 */
const GATHER_MS = 20;

/** A delivery that no call has taken yet. */
interface Waiting {
  delivery: RejectedDelivery;
  /** Set on the last delivery of its request. */
  resolve?: () => void;
}

/** Writes up to 500 deliveries in one call. */
function record(rejections: RejectedDelivery[]): Promise<unknown> {
  return callDatabase("record_rejections", { rejections }, { timeout: TIMEOUT_MS });
}

/**
 * Writes the rejected deliveries of an isolate, one call at a time, so that a sender of many invalid requests uses a
 * single connection of the database.
 */
export class RejectedDeliveryWriter {
  readonly #record: typeof record;
  readonly #gatherMs: number;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #isWriting = false;
  /** The next call begins when this many deliveries wait, or after a short delay. */
  #gathering: { deliveries: number; end: () => void } | undefined;

  /** @param recordAll makes a call; tests replace it */
  constructor(recordAll = record, gatherMs = GATHER_MS) {
    this.#record = recordAll;
    this.#gatherMs = gatherMs;
  }

  /**
   * Writes the deliveries of one request. Never rejects: deliveries that cannot be written are counted in the log.
   *
   * @returns resolves when they have been written or given up
   */
  write(deliveries: RejectedDelivery[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let last: Waiting | undefined;
    for (const [index, delivery] of deliveries.entries()) {
      if (this.#waiting.length >= WAITING.deliveries || this.#waitingBytes >= WAITING.bytes) {
        logError({ event: "rejected_deliveries_full", deliveries: deliveries.length - index });
        break;
      }
      last = { delivery };
      this.#waiting.push(last);
      this.#waitingBytes += size(delivery);
    }
    if (last === undefined) resolve();
    else last.resolve = resolve;
    if (!this.#isWriting) void this.#writeAll();
    else if (this.#gathering && this.#waiting.length >= this.#gathering.deliveries) this.#gathering.end();
    return promise;
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true;
    while (this.#waiting.length > 0) {
      const taken = this.#take();
      const isFull = this.#waiting.length > 0;
      try {
        await this.#record(taken.map(({ delivery }) => delivery));
      } catch (error) {
        const { cause } = error as Error;
        logError({ event: "rejected_deliveries_lost", deliveries: taken.length, ...describeError(cause) });
      }
      for (const { resolve } of taken) resolve?.();
      // The waiting senders have all sent again, so there is nothing else to wait for.
      if (!isFull) await this.#gather(taken.length + this.#waiting.length);
    }
    this.#isWriting = false;
  }

  /** Waits until this many deliveries wait, or briefly. */
  async #gather(deliveries: number): Promise<void> {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const timer = setTimeout(end, this.#gatherMs);
    this.#gathering = { deliveries, end };
    await promise;
    clearTimeout(timer);
    this.#gathering = undefined;
  }

  /** Takes the deliveries that fit into one call, at least one. */
  #take(): Waiting[] {
    let [count, bytes] = [0, 0];
    for (const { delivery } of this.#waiting) {
      bytes += size(delivery);
      if (count > 0 && (count === CALL.deliveries || bytes > CALL.bytes)) break;
      this.#waitingBytes -= size(delivery);
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }
}

/** The writer of this isolate. */
export const rejectedDeliveryWriter = new RejectedDeliveryWriter();

/** The approximate size of a delivery in bytes. Parts of a payload that are not stored do not count. */
function size({ payload_bytes, payload_text }: RejectedDelivery): number {
  return 500 + (payload_text === null ? Math.min(payload_bytes, KEPT_BYTES) : payload_text.length);
}
