/**
 * Finds out where a `pending` lead went. Such a lead is stored, but its request did not get the distribution lock, or
 * somebody has locked the orders that want it. Every other request hands it out, too, so one question is mostly enough.
 *
 * All pending leads of an isolate share one call: however many they are, they use one connection of the database.
 */
import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { DistributedTo, Distribution, SqlResults } from "../../_shared/sql_functions.ts";

/** How often the database is asked about a lead, and for how long, in milliseconds. */
interface Pace {
  /** The pause before a call. It doubles until a lead has been handed out. */
  pause: number;
  maxPause: number;
  patience: number;
  /** The patience with a locked order. An operator may keep it locked for minutes. */
  patienceWithLock: number;
}

interface Question {
  askedAt: number;
  answer(distribution: Distribution): void;
}

class PendingLeads {
  readonly #pace: Pace;
  readonly #questions = new Map<string, Question>();
  #isAsking = false;

  constructor(pace: Pace) {
    this.#pace = pace;
  }

  /** Resolves to where the lead went; to `pending` when the patience is over. */
  ask(leadId: string): Promise<Distribution> {
    return new Promise((answer) => {
      this.#questions.set(leadId, { askedAt: Date.now(), answer });
      if (!this.#isAsking) this.#askForAll();
    });
  }

  async #askForAll(): Promise<void> {
    this.#isAsking = true;
    let { pause } = this.#pace;
    while (this.#questions.size > 0) {
      const leadIds = Array.from(this.#questions.keys());
      const isProgress = this.#answer(leadIds, await distribute(leadIds));
      if (isProgress) {
        pause = this.#pace.pause;
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, this.#pace.maxPause);
    }
    this.#isAsking = false;
  }

  /** Answers what can be answered. Returns whether a lead has been handed out. */
  #answer(leadIds: string[], { leads, isLocked }: Distributions): boolean {
    const { patience, patienceWithLock } = this.#pace;
    let isProgress = false;
    for (const leadId of leadIds) {
      const { askedAt, answer } = this.#questions.get(leadId)!;
      const distribution = leads[leadId] ?? PENDING;
      const isPending = distribution.distribution === "pending";
      isProgress ||= !isPending;
      if (isPending && Date.now() - askedAt < (isLocked ? patienceWithLock : patience)) continue;
      this.#questions.delete(leadId);
      answer(distribution);
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
 * @returns where the lead went; null when no order wants it, or when it is still pending
 */
export async function waitForDistribution(leadId: string): Promise<DistributedTo | null> {
  const { distribution, distributed_to } = await beforeResponse.ask(leadId);
  if (distribution === "pending") continueAfterResponse(waitLonger(leadId));
  return distributed_to;
}

async function waitLonger(leadId: string): Promise<void> {
  const { distribution } = await afterResponse.ask(leadId);
  if (distribution === "pending") logError({ event: "lead_left_pending", lead_id: leadId });
}

interface Distributions {
  leads: Record<string, Distribution>;
  /** Whether those still pending wait for orders that somebody has locked. */
  isLocked: boolean;
}

/** Hands out what is pending. If the call fails, the leads stay pending, and are asked about again. */
async function distribute(leadIds: string[]): Promise<Distributions> {
  const [lead_id, ...other_lead_ids] = leadIds;
  let result: SqlResults["distribute_pending_leads"];
  try {
    result = await callDatabase("distribute_pending_leads", { lead_id, other_lead_ids });
  } catch (error) {
    logError({ event: "distribution_failed", ...describeError((error as Error).cause) });
    return { leads: {}, isLocked: false };
  }
  const { others = {}, order_is_locked = false, ...first } = result;
  return { leads: { ...others, [lead_id!]: first }, isLocked: order_is_locked };
}
