/**
 * Finds out where `pending` leads went. Such a lead is stored, but its call did not get the distribution lock, or
 * somebody has locked the orders that want it. Every other call hands it out, too, so one question is mostly enough.
 * Until the database has answered it, the lead may not be on disk, so no vendor may be told that it is stored.
 *
 * All pending leads of an isolate share one call at a time.
 */
import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { DistributedTo } from "./responses.ts";

/** Whether a lead has been handed out, and to whom. */
export interface Distribution {
  /** Null when there is no such lead. */
  distribution: "distributed" | "unmatched" | "pending" | "not_requested" | null;
  distributed_to: DistributedTo | null;
}

/** How often the database is asked about a lead, and for how long, in milliseconds. */
interface Pace {
  /** The pause after a call that handed nothing out. It doubles until one does. */
  pause: number;
  maxPause: number;
  patience: number;
  /** The patience with a locked order. An operator may keep it locked for minutes. */
  patienceWithLock: number;
}

interface Question extends PromiseWithResolvers<Distribution> {
  askedAt: number;
  /** Whether the database has said that the lead is pending, and so on disk. */
  isOnDisk: boolean;
}

class PendingLeads {
  readonly #pace: Pace;
  readonly #questions = new Map<string, Question>();
  #isAsking = false;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /**
   * Resolves to where the lead went; to `pending` when the patience is over.
   *
   * @throws the error of the last call, when the patience is over and none said that the lead is on disk.
   */
  ask(leadId: string): Promise<Distribution> {
    let question = this.#questions.get(leadId);
    if (question === undefined) {
      question = { ...Promise.withResolvers(), askedAt: Date.now(), isOnDisk: false };
      this.#questions.set(leadId, question);
    }
    if (!this.#isAsking) {
      this.#isAsking = true;
      // The other leads of the same call are asked about in one question.
      queueMicrotask(() => this.#askUntilAnswered());
    }
    return question.promise;
  }

  async #askUntilAnswered(): Promise<void> {
    let { pause } = this.#pace;
    while (this.#questions.size > 0) {
      const leadIds = Array.from(this.#questions.keys());
      const isProgress = this.#answer(leadIds, await distribute(leadIds));
      if (isProgress) {
        pause = this.#pace.pause;
      } else {
        await new Promise((resolve) => setTimeout(resolve, pause));
        pause = Math.min(pause * 2, this.#pace.maxPause);
      }
    }
    this.#isAsking = false;
  }

  /** Answers what can be answered. Returns whether a lead has been handed out. */
  #answer(leadIds: string[], { leads, order_is_locked, error }: Distributions): boolean {
    const { patience, patienceWithLock } = this.#pace;
    let isProgress = false;
    for (const leadId of leadIds) {
      const question = this.#questions.get(leadId)!;
      const distribution = leads[leadId];
      question.isOnDisk ||= distribution?.distribution === "pending";
      if (distribution !== undefined && distribution.distribution !== "pending") {
        isProgress = true;
        question.resolve(distribution);
      } else if (Date.now() - question.askedAt < (order_is_locked ? patienceWithLock : patience)) {
        continue;
      } else if (question.isOnDisk) {
        question.resolve(PENDING);
      } else {
        question.reject(error);
      }
      this.#questions.delete(leadId);
    }
    return isProgress;
  }
}

const PENDING: Distribution = { distribution: "pending", distributed_to: null };

/** While the vendor waits for the response. */
const beforeResponse = new PendingLeads({
  pause: 5,
  maxPause: 25,
  patience: 1_000,
  patienceWithLock: 250,
});

/** After that, the next distribution hands the lead out, whenever there is one. */
const afterResponse = new PendingLeads({
  pause: 1_000,
  maxPause: 2_000,
  patience: 120_000,
  patienceWithLock: 120_000,
});

/**
 * Waits a moment until a pending lead has been handed out, and goes on after the response if that was not long enough.
 *
 * @returns where the lead went, or that it is still pending; `distribution` is null when there is no such lead, because
 * the database crashed before the lead was on disk, or because somebody has deleted it
 * @throws ApiError when the database does not respond, so that nobody knows whether the lead is on disk.
 */
export async function waitForDistribution(leadId: string): Promise<Distribution> {
  const distribution = await beforeResponse.ask(leadId);
  if (distribution.distribution === "pending") distributeAfterResponse(leadId);
  return distribution;
}

/** Goes on asking about a pending lead after the response. */
export function distributeAfterResponse(leadId: string): void {
  continueAfterResponse(waitLonger(leadId));
}

async function waitLonger(leadId: string): Promise<void> {
  const { distribution } = await afterResponse.ask(leadId).catch(() => PENDING);
  if (distribution === "pending") logError({ event: "lead_left_pending", lead_id: leadId });
}

/** What one call of distribute_pending_leads() has said. */
export interface Distributions {
  /** All that the call asked about, by their ids; none where it failed. */
  leads: Record<string, Distribution>;
  /** Whether those that are still pending wait for orders that somebody has locked. */
  order_is_locked: boolean;
  /** What the call has failed with. */
  error?: unknown;
}

/** Hands out what is pending. If the call fails, the leads stay pending, and are asked about again. */
async function distribute(lead_ids: string[]): Promise<Distributions> {
  try {
    return await callDatabase("distribute_pending_leads", { lead_ids });
  } catch (error) {
    logError({ event: "distribution_failed", ...describeError((error as Error).cause) });
    return { leads: {}, order_is_locked: false, error };
  }
}
