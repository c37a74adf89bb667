import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { Refusal } from "./delivery.ts";

/** After each call the next one waits so long. A flood of requests makes no more calls than this. */
const PAUSE_MS = 5_000;
/** A little more than the statement timeout of `record_refused_proofs`. */
const TIMEOUT_MS = 3_000;

/** Slugs without a webhook that are counted between two calls. Strangers may make up any number of them. */
const MOST_UNKNOWN = 100;

interface Refused {
  slug: string;
  reason: Refusal;
  requests: number;
}

const counted = new Map<string, Refused>();
let writing: Promise<void> | undefined;

/**
 * Counts a request that proved nothing, for the vendor's operator to see. Never throws, and takes no time of the
 * response: the count is written after it.
 *
 * @param isKnown whether the slug has a webhook
 */
export function countRefused(slug: string, reason: Refusal, isKnown: boolean): void {
  const key = `${slug} ${reason}`;
  const before = counted.get(key);
  if (before === undefined && !isKnown && counted.size >= MOST_UNKNOWN) return;
  counted.set(key, { slug, reason, requests: (before?.requests ?? 0) + 1 });
  continueAfterResponse(writing ??= writeCounted());
}

async function writeCounted(): Promise<void> {
  while (counted.size > 0) {
    const refused = [...counted.values()];
    counted.clear();
    try {
      await callDatabase("record_refused_proofs", { refused }, { timeout: TIMEOUT_MS });
    } catch (error) {
      const requests = refused.reduce((sum, one) => sum + one.requests, 0);
      logError({ event: "refused_proofs_lost", requests, ...describeError((error as Error).cause) });
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  writing = undefined;
}
