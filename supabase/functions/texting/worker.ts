import * as z from "zod";
import { callDatabase } from "../_shared/database.ts";
import { logError, logWarning } from "../_shared/log.ts";
import { AT_A_TIME } from "../_shared/semaphores.ts";
import { count } from "../_shared/validate.ts";
import type { ClaimedText, ClaimedTexts } from "./claimed_text.ts";
import { lookUpText } from "./look_up_text.ts";
import { postText } from "./post_text.ts";
import { Steps, within } from "./steps.ts";
import type { TwilioAccount } from "./twilio_account.ts";

/** After this time no further text is claimed. The platform ends a request after 150 s. */
const CLAIM_FOR_MS = 40_000;

/**
 * After so many texts no further one is claimed. Each takes about 1 ms of CPU, and the platform ends a request after 2
 * s.
 */
const CLAIM_AT_MOST = 1_000;

/** The longest wait, in milliseconds, before asking again for texts that have become due. */
const ASK_AGAIN_MS = 1_000;

/** The number of texts that were left in each state. A text that was claimed twice counts twice. */
export const workResult = z.strictObject({
  accepted: count.describe("Twilio has them."),
  unconfirmed: count.describe("Twilio may have them: they are looked up there."),
  pending: count.describe("They are tried again later."),
  refused: count.describe("The recruit has opted out."),
  failed: count.describe("Twilio will not send them."),
  errors: count.describe(
    "No texts, but errors in the service itself: the log has them. The rest was done all the same.",
  ),
}).meta({ id: "WorkResult", description: "How many texts were left in each state, and how many errors there were." });

export type WorkCounts = z.infer<typeof workResult>;

/**
 * Takes the {@link Steps}, and sends and looks up what is due until nothing is due any more, several texts at a time.
 * Each is claimed right before, so that little is left in doubt if this process dies.
 *
 * @throws ApiError INTERNAL_ERROR when the database gives no texts.
 */
export async function sendDueTexts(account: TwilioAccount, requestId: string): Promise<WorkCounts> {
  const counts: WorkCounts = { accepted: 0, unconfirmed: 0, pending: 0, refused: 0, failed: 0, errors: 0 };
  const steps = new Steps(requestId);
  const running = new Set<Promise<void>>();
  let claimed = 0;
  let refusedLogin: string | undefined;

  async function handle(text: ClaimedText, claimedAt: number): Promise<void> {
    try {
      const result = text.task === "post" ? await postText(account, text, claimedAt) : await lookUpText(account, text);
      if (result.state !== null && result.state !== "sending") counts[result.state]++;
      refusedLogin ??= result.refusedLogin;
    } catch (error) {
      steps.report(error, { step: text.task, message_id: text.message_id });
    }
  }

  const deadline = Date.now() + CLAIM_FOR_MS;
  try {
    while (refusedLogin === undefined && claimed < CLAIM_AT_MOST && Date.now() < deadline) {
      const isBusy = await steps.take();
      const claimedAt = Date.now();
      const { texts, next_at }: ClaimedTexts = await callDatabase("claim_texts", {
        max: AT_A_TIME.texts - running.size,
      });
      claimed += texts.length;
      for (const text of texts) {
        const handled = handle(text, claimedAt).finally(() => running.delete(handled));
        running.add(handled);
      }
      // A text that only waits for its number's rate is due soon.
      const wait = isBusy ? 0 : next_at === null ? Infinity : Date.parse(next_at) - Date.now();
      if (running.size === 0 && wait > deadline - Date.now()) break;
      await within(Math.min(Math.max(wait, 50), ASK_AGAIN_MS), firstOf(running));
      // Claiming one text at a time would cost a query for each.
      while (running.size > AT_A_TIME.texts / 2) await firstOf(running);
    }
  } finally {
    await Promise.all([...running, steps.end()]);
    counts.errors = steps.errors;
  }
  if (refusedLogin !== undefined) {
    logError({ request_id: requestId, event: "twilio_refused_login", error_code: refusedLogin });
  }
  return counts;
}

/**
 * Takes the {@link Steps}, and makes all that is due wait a minute for an account at Twilio. The log has one warning for
 * the texts that were not held before.
 *
 * @throws ApiError INTERNAL_ERROR when the database does not hold them.
 */
export async function holdDueTexts(requestId: string): Promise<WorkCounts> {
  const steps = new Steps(requestId);
  await steps.take();
  await steps.end();
  const pending: number = await callDatabase("hold_texts", {});
  if (pending > 0) {
    logWarning({ request_id: requestId, event: "no_account", texts: pending, missing: "TWILIO_ACCOUNT_SID" });
  }
  return { accepted: 0, unconfirmed: 0, pending, refused: 0, failed: 0, errors: steps.errors };
}

/** Waits until one of them has ended; for ever where there is none. */
function firstOf(running: Set<Promise<void>>): Promise<void> {
  return Promise.race(running);
}
