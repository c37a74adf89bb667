import { callDatabase, type CallOptions } from "../../_shared/database.ts";
import { describeError, logError } from "../../_shared/log.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import type { ClaimedText, TextState } from "./claimed_text.ts";
import type { TextResult } from "./outcome.ts";
import type { TwilioAccount } from "../twilio/account.ts";
import { listMessages, TwilioError, type TwilioMessage } from "../twilio/api.ts";

/** How many milliseconds Twilio's clock may be behind the database's. */
const CLOCKS_DIFFER_MS = 3 * 60_000;

/** The number of older messages to read: one page. */
const OLDER_MESSAGES_READ = 1_000;

/**
 * How long to read further pages. With the last page and recording the outcome, a look-up ends before the lease does.
 */
const LIST_WITHIN_MS = 25_000;

/** How long recording the outcome is retried. The lease lasts 60 s. */
const RECORD: CallOptions = { retryWithin: 20_000 };

/**
 * Looks up at Twilio whether it has a text whose response was lost, and records the result. Never rejects: if the
 * look-up or recording fails, the text is looked up again later.
 */
export async function lookUpText(account: TwilioAccount, text: ClaimedText): Promise<TextResult> {
  try {
    const { data: messages, error } = await findMessages(account, text);
    if (error === null) return { state: await recordMessages(text, messages) };
    logError({ event: "text_not_looked_up", message_id: text.message_id, error_code: error.code });
    // The path contains only the account, so 404 also concerns the account.
    const refusedLogin = error.status === 401 || error.status === 404 ? error.code : undefined;
    return { state: await recordNoResponse(text, refusedLogin !== undefined), refusedLogin };
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    logError({
      event: "lookup_not_recorded",
      message_id: text.message_id,
      ...describeError(cause),
    });
    return { state: null };
  }
}

function recordMessages({ message_id, claim }: ClaimedText, messages: TwilioMessage[]): Promise<TextState> {
  const may_resend = Deno.env.get("TEXT_RESEND_UNCONFIRMED")?.trim().toLowerCase() !== "off";
  const sids = messages.map(({ sid }) => sid);
  const created_at = messages.map(({ date_created }) => date_created?.toISOString() ?? null);
  return callDatabase("record_text_lookup", { message_id, claim, sids, may_resend, created_at }, RECORD);
}

function recordNoResponse(
  { message_id, claim }: ClaimedText,
  isLoginRefused: boolean,
): Promise<TextState> {
  const outcome = isLoginRefused ? "credentials" : "later";
  return callDatabase("record_text_outcome", { message_id, claim, outcome }, RECORD);
}

/** Returns the messages at Twilio that may be this text. */
async function findMessages(
  account: TwilioAccount,
  text: ClaimedText,
): Promise<Result<TwilioMessage[], TwilioError>> {
  const earliest = Date.parse(text.attempted_at) - CLOCKS_DIFFER_MS;
  const recent: TwilioMessage[] = [];
  let older = 0;
  try {
    const messages = listMessages({ to: text.to, from: text.from }, account, {
      within: LIST_WITHIN_MS,
    });
    for await (const message of messages) {
      if (isSince(message, earliest)) recent.push(message);
      // Twilio sorts by the time of sending, which a queued text does not have yet, so such a text may be further down.
      else if (++older >= OLDER_MESSAGES_READ) break;
    }
  } catch (error) {
    if (error instanceof TwilioError) return failure(error);
    throw error;
  }
  return success(matchingMessages(text.body, recent));
}

function isSince({ date_created }: TwilioMessage, earliest: number): boolean {
  return date_created === null || date_created.getTime() >= earliest;
}

/**
 * Returns the messages that may be this text, oldest first. If one has exactly the text's words, the others are
 * ignored. Twilio's smart encoding replaces typographic characters, so otherwise only letters and digits are compared.
 */
export function matchingMessages(body: string, messages: TwilioMessage[]): TwilioMessage[] {
  // Unknown directions are included, because a text that is not found is sent again.
  const outbound = messages.filter(({ direction }) => direction !== "inbound")
    .sort((one, other) => timeOf(one) - timeOf(other));
  const exact = outbound.filter((message) => (message.body ?? "") === body);
  const similar = outbound.filter((message) => lettersOf(message.body ?? "") === lettersOf(body));
  return exact.length > 0 ? exact : similar;
}

function timeOf({ date_created }: TwilioMessage): number {
  return date_created?.getTime() ?? 0;
}

function lettersOf(body: string): string {
  return body.normalize("NFKD").replace(/[^\p{L}\p{N}]/gu, "");
}
