import { KEPT_BYTES } from "./body/limits.ts";
import { callDatabase } from "./database.ts";
import type { Json, JsonObject } from "./json.ts";
import { describeError, logError } from "./log.ts";
import { MIB } from "./units.ts";

/** A rejected delivery as `record_rejections()` takes it. */
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

/** The most that one call takes: deliveries, and bytes as received. */
const CALL = { deliveries: 500, bytes: MIB };

/** The most that may wait to be written. The isolate's memory is needed for requests. */
const WAITING = { deliveries: 20_000, bytes: 16 * MIB };

/** A little more than the statement timeout of `record_rejections`. */
const TIMEOUT_MS = 4_000;

const waiting: RejectedDelivery[] = [];
let waitingBytes = 0;
let writing: Promise<void> | undefined;

/**
 * Writes rejected deliveries. All requests of an isolate share one call at a time. So a sender of many wrong requests
 * takes one connection of the database and not all of them. Never rejects: what cannot be written is counted in the
 * log.
 *
 * @returns resolves when everything that waits has been written or given up
 */
export function writeRejected(deliveries: RejectedDelivery[]): Promise<void> {
  for (const [index, delivery] of deliveries.entries()) {
    if (waiting.length >= WAITING.deliveries || waitingBytes >= WAITING.bytes) {
      logError({ event: "rejected_deliveries_full", deliveries: deliveries.length - index });
      break;
    }
    waiting.push(delivery);
    waitingBytes += size(delivery);
  }
  return writing ??= writeAll();
}

async function writeAll(): Promise<void> {
  while (waiting.length > 0) {
    const rejections = takeSome();
    try {
      await callDatabase("record_rejections", { rejections }, { timeout: TIMEOUT_MS });
    } catch (error) {
      const { cause } = error as Error;
      const deliveries = rejections.length;
      logError({ event: "rejected_deliveries_lost", deliveries, ...describeError(cause) });
    }
  }
  writing = undefined;
}

/** Takes what fits into one call, and at least one delivery. */
function takeSome(): RejectedDelivery[] {
  let [count, bytes] = [0, 0];
  for (const delivery of waiting) {
    bytes += size(delivery);
    if (count > 0 && (count === CALL.deliveries || bytes > CALL.bytes)) break;
    waitingBytes -= size(delivery);
    count += 1;
  }
  return waiting.splice(0, count);
}

/** Roughly what a delivery takes, in bytes. What is not kept of a payload does not count. */
function size({ payload_bytes, payload_text }: RejectedDelivery): number {
  return 500 + (payload_text === null ? Math.min(payload_bytes, KEPT_BYTES) : payload_text.length);
}
