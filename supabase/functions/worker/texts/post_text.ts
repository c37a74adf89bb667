import { callDatabase } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import { publicFunctionsUrl } from "../../_shared/public_url.ts";
import type { ClaimedText, TextState } from "./claimed_text.ts";
import { isGreeted } from "./countries.ts";
import { readableUrls } from "./media.ts";
import { type Outcome, outcomeOf, type TextResult } from "./outcome.ts";
import type { TwilioAccount } from "../twilio/account.ts";
import { createMessage } from "../twilio/api.ts";

/** `claim_texts` grants a lease of 60 s. These times allow for clocks that differ. */
const SEND_WITHIN_MS = 30_000;
const RECORD_WITHIN_MS = 55_000;

/**
 * Posts a claimed text to Twilio, and records the outcome. Never rejects.
 *
 * @param claimedAt when the claiming call began, in milliseconds
 */
export async function postText(
  account: TwilioAccount,
  text: ClaimedText,
  claimedAt: number,
): Promise<TextResult> {
  const outcome = await post(account, text, claimedAt + SEND_WITHIN_MS);
  if (outcome.outcome === "number_paused") {
    logError({ event: "number_paused", message_id: text.message_id, error_code: outcome.code });
  }
  const state = await record(text, outcome, claimedAt + RECORD_WITHIN_MS);
  return outcome.outcome === "credentials" ? { state, refusedLogin: outcome.code ?? "" } : { state };
}

async function post(
  account: TwilioAccount,
  text: ClaimedText,
  latest: number,
): Promise<Outcome> {
  if (text.kind === "greeting" && !isGreeted(text.to, text.country)) return { outcome: "refused", code: "country" };
  const { data: mediaUrls, error } = await readableUrls(text.media);
  if (error !== null) return error;
  // Another worker may soon claim the text, so it must no longer be sent.
  if (Date.now() > latest) return { outcome: "later" };
  return outcomeOf(
    await createMessage({
      to: text.to,
      from: text.from,
      messagingServiceSid: text.messaging_service_sid,
      body: text.body,
      mediaUrls,
      statusCallback: `${publicFunctionsUrl()}/recruiting/sms/status?message=${text.message_id}`,
      validityPeriod: text.validity_seconds,
    }, { account }),
  );
}

/**
 * Records an outcome, and retries while the lease lasts. If that fails, the text stays `sending` until its lease ends.
 * It is then looked up at Twilio, so it is neither lost nor sent twice.
 */
async function record(
  { message_id, claim }: ClaimedText,
  { outcome, sid, createdAt, code, retryAfter }: Outcome,
  latest: number,
): Promise<TextState | null> {
  try {
    return await callDatabase("record_text_outcome", {
      message_id,
      claim,
      outcome,
      sid: sid ?? null,
      created_at: createdAt?.toISOString() ?? null,
      code: code ?? null,
      retry_after: retryAfter ?? null,
    }, { retryWithin: Math.max(latest - Date.now(), 1_000) });
  } catch (error) {
    logError({
      event: "outcome_not_recorded",
      message_id,
      outcome,
      message_sid: sid,
      ...describeError((error as Error).cause ?? error),
    });
    return null;
  }
}
