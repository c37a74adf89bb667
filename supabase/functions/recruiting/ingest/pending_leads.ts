/**
 * Finds out where a `pending` lead went. Such a lead is stored, but its request did not get the distribution lock, or
 * somebody has locked the orders that want it. Every other request hands it out, too, so one question is mostly enough.
 * Until the database has answered it, the lead may not be on disk, so no vendor may be told that it is stored.
 *
 * All pending leads of an isolate share two calls: however many they are, they use two connections of the database.
 */
import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { Distribution, SqlResults } from "../../_shared/sql_functions.ts";

/** How often the database is asked about a lead, and for how long, in milliseconds. */
interface Pace {
  /** The pause after a call that handed nothing out. It doubles until one does. */
  pause: number;
  maxPause: number;
  patience: number;
  /** The patience with a locked order. An operator may keep it locked for minutes. */
  patienceWithLock: number;
}

interface Question {
  askedAt: number;
  isBeingAsked: boolean;
  /** Whether the database has said that the lead is pending, and so on disk. */
  isOnDisk: boolean;
  answer(distribution: Distribution): void;
  fail(error: unknown): void;
}

/**
 * Two, so that while one waits for the disk, the next already waits for the distribution lock. With one, the next new lead
 * would take the lock and make all others wait for a commit of its own.
 */
const MAX_CALLS = 2;

class PendingLeads {
  readonly #pace: Pace;
  readonly #questions = new Map<string, Question>();
  #calls = 0;
  #pause: number;
  #isPausing = false;

  constructor(pace: Pace) {
    this.#pace = pace;
    this.#pause = pace.pause;
  }

  /**
   * Resolves to where the lead went; to `pending` when the patience is over.
   *
   * @throws the error of the last call, when the patience is over and none said that the lead is on disk.
   */
  ask(leadId: string): Promise<Distribution> {
    return new Promise((answer, fail) => {
      const question = { askedAt: Date.now(), isBeingAsked: false, isOnDisk: false, answer, fail };
      this.#questions.set(leadId, question);
      // Other leads whose responses have arrived already are asked about in the same call.
      setTimeout(() => this.#askForAll());
    });
  }

  async #askForAll(): Promise<void> {
    if (this.#isPausing || this.#calls === MAX_CALLS) return;
    const asked = this.#questions.entries().filter(([, { isBeingAsked }]) => !isBeingAsked)
      .toArray();
    if (asked.length === 0) return;

    this.#calls++;
    for (const [, question] of asked) question.isBeingAsked = true;
    const isProgress = this.#answer(asked, await distribute(asked.map(([leadId]) => leadId)));
    for (const [, question] of asked) question.isBeingAsked = false;
    this.#calls--;

    if (isProgress) {
      this.#pause = this.#pace.pause;
      this.#askForAll();
    } else if (!this.#isPausing) {
      this.#isPausing = true;
      setTimeout(() => {
        this.#isPausing = false;
        this.#askForAll();
      }, this.#pause);
      this.#pause = Math.min(this.#pause * 2, this.#pace.maxPause);
    }
  }

  /** Answers what can be answered. Returns whether a lead has been handed out. */
  #answer(asked: [leadId: string, Question][], { leads, isLocked, error }: Distributions): boolean {
    const { patience, patienceWithLock } = this.#pace;
    let isProgress = false;
    for (const [leadId, question] of asked) {
      const distribution = leads[leadId];
      question.isOnDisk ||= distribution?.distribution === "pending";
      if (distribution !== undefined && distribution.distribution !== "pending") {
        isProgress = true;
        question.answer(distribution);
      } else if (Date.now() - question.askedAt < (isLocked ? patienceWithLock : patience)) {
        continue;
      } else if (question.isOnDisk) {
        question.answer(PENDING);
      } else {
        question.fail(error);
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

interface Distributions {
  leads: Record<string, Distribution>;
  /** Whether those still pending wait for orders that somebody has locked. */
  isLocked: boolean;
  /** Of a call that failed. */
  error?: unknown;
}

/** Hands out what is pending. If the call fails, the leads stay pending, and are asked about again. */
async function distribute(leadIds: string[]): Promise<Distributions> {
  const [lead_id, ...other_lead_ids] = leadIds;
  let result: SqlResults["distribute_pending_leads"];
  try {
    result = await callDatabase("distribute_pending_leads", { lead_id, other_lead_ids });
  } catch (error) {
    logError({ event: "distribution_failed", ...describeError((error as Error).cause) });
    return { leads: {}, isLocked: false, error };
  }
  const { others = {}, order_is_locked = false, ...first } = result;
  return { leads: { ...others, [lead_id!]: first }, isLocked: order_is_locked };
}
