import { continueAfterResponse } from "../../_shared/background.ts";
import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import type { Refusal } from "./delivery.ts";

/** The pause after each call. A flood of requests makes no additional calls. */
const PAUSE_MS = 5_000;
/** Slightly longer than the statement timeout of `record_refused_proofs`. */
const TIMEOUT_MS = 3_000;

/**
 * The maximum number of slugs without a webhook to count between two calls. Strangers may invent any number of them.
 */
const MOST_UNKNOWN = 100;

interface Refused {
  slug: string;
  reason: Refusal;
  requests: number;
}

const counted = new Map<string, Refused>();
let writing: Promise<void> | undefined;

/**
 * Counts a request that proved nothing, for the vendor's operator. Never throws, and does not delay the response: the
 * count is written after it.
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
