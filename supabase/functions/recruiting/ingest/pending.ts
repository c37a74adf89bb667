/**
 * Finds out where `pending` leads went. Such a lead is stored, but its call did not get the distribution lock, or the
 * orders that accept the lead are locked. Every other call also distributes it, so one query is usually enough. Until
 * the database has responded, the lead may not be on disk, so no vendor may receive a success response.
 */
import { setImmediate } from "node:timers/promises";
import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { DistributedTo } from "./responses.ts";

/** Whether a lead has been distributed, and to whom. */
export interface Distribution {
  /** Null if the lead does not exist. */
  distribution: "distributed" | "unmatched" | "pending" | "not_requested" | "returned" | "repeat" | "suppressed" | null;
  distributed_to: DistributedTo | null;
}

/** The result of one call of distribute_pending_leads(). */
export interface Distributions {
  /** The requested leads by id. */
  leads: Record<string, Distribution>;
  /** Whether the leads that are still pending wait for locked orders. */
  order_is_locked: boolean;
}

/** How often the database is asked about a lead, in milliseconds. */
interface Pace {
  /** The pause after a call that distributed nothing. It doubles until a call distributes something. */
  pause: number;
  maxPause: number;
  patience: number;
  /** How long to wait for a locked order. An operator may keep an order locked for minutes. */
  patienceWithLock: number;
}

/** While the vendor waits for the response. */
const BEFORE_RESPONSE = { pause: 5, maxPause: 25, patience: 1_000, patienceWithLock: 250 };

/** After that, the next distribution includes the lead, whenever it happens. */
const AFTER_RESPONSE = {
  pause: 1_000,
  maxPause: 2_000,
  patience: 120_000,
  patienceWithLock: 120_000,
};

const PENDING: Distribution = { distribution: "pending", distributed_to: null };

/**
 * Waits briefly until a pending lead has been distributed. If it is still pending, continues after the response.
 *
 * @returns where the lead went, or that it is still pending; `distribution` is null if the lead does not exist: the
 * database crashed before the lead was on disk, or the lead was deleted
 * @throws ApiError if the database does not respond, so that it is unknown whether the lead is on disk.
 */
export async function waitForDistribution(leadId: string): Promise<Distribution> {
  const distribution = await ask(leadId, BEFORE_RESPONSE);
  if (distribution.distribution === "pending") distributeAfterResponse(leadId);
  return distribution;
}

/** Continues to distribute a pending lead after the response. */
export function distributeAfterResponse(leadId: string): void {
  const asking = ask(leadId, AFTER_RESPONSE).catch(() => PENDING);
  continueAfterResponse(asking.then(({ distribution }) => {
    if (distribution === "pending") logError({ event: "lead_left_pending", lead_id: leadId });
  }));
}

/**
 * Asks about a lead until it is no longer pending, or the time is up.
 *
 * @throws the error of the last call, if the time is up and no call confirmed that the lead is on disk.
 */
async function ask(leadId: string, pace: Pace): Promise<Distribution> {
  const askedAt = Date.now();
  let isOnDisk = false;
  let { pause } = pace;
  for (;;) {
    const { leads, order_is_locked, error } = await distribute(leadId);
    const found = leads[leadId];
    if (found !== undefined && found.distribution !== "pending") return found;
    isOnDisk ||= found !== undefined;
    if (Date.now() - askedAt >= (order_is_locked ? pace.patienceWithLock : pace.patience)) {
      if (isOnDisk) return PENDING;
      throw error;
    }
    const isProgress = Object.values(leads).some(({ distribution }) => distribution !== "pending");
    if (isProgress) {
      pause = pace.pause;
    } else {
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, pace.maxPause);
    }
  }
}

/** Distributes pending leads. If the call fails, the leads stay pending, and the next call includes them. */
const distribute = together(async (lead_ids): Promise<Distributions & { error?: unknown }> => {
  try {
    return await callDatabase("distribute_pending_leads", { lead_ids });
  } catch (error) {
    logError({ event: "distribution_failed", ...describeError((error as Error).cause ?? error) });
    return { leads: {}, order_is_locked: false, error };
  }
});

/** Makes one call at a time, each for all leads that have been requested by then. */
export function together<Result>(call: (leadIds: string[]) => Promise<Result>): (leadId: string) => Promise<Result> {
  let next: { ids: Set<string>; result: Promise<Result> } | undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (leadId) => {
    if (next === undefined) {
      const ids = new Set<string>();
      // Leads that are requested in the same turn join the call.
      const result = last.then(() => setImmediate()).then(() => {
        next = undefined;
        return call(Array.from(ids));
      });
      last = result.catch(() => {});
      next = { ids, result };
    }
    next.ids.add(leadId);
    return next.result;
  };
}
