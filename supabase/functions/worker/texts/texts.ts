import { callDatabase } from "../../_shared/database.ts";
import type { Job, RunContext } from "../../_shared/jobs.ts";
import { logError, logWarning } from "../../_shared/log.ts";
import { AT_A_TIME } from "../../_shared/semaphores.ts";
import { twilioAccount } from "../twilio/account.ts";
import type { ClaimedText, ClaimedTexts } from "./claimed_text.ts";
import { greetedCountries } from "./countries.ts";
import { lookUpText } from "./look_up_text.ts";
import { postText } from "./post_text.ts";

/**
 * Sends the texts that are due, and looks up texts that Twilio may or may not have. Without a Twilio account, it holds
 * them.
 *
 * @throws ConfigurationError if a setting is invalid, so that it is noticed immediately and not with the next greeting.
 */
export function texts({ requestId }: RunContext): Job<ClaimedText> {
  if (!Deno.env.get("TWILIO_ACCOUNT_SID")?.trim()) return heldTexts(requestId);
  greetedCountries();
  const account = twilioAccount();
  let isLoginRefused = false;
  return {
    atOnce: AT_A_TIME.texts,
    async claim(max) {
      const { texts, next_at }: ClaimedTexts = await callDatabase("claim_texts", { max });
      return { items: texts, nextAt: next_at };
    },
    async handle(text, _report, claimedAt) {
      const { state, refusedLogin } = text.task === "post"
        ? await postText(account, text, claimedAt)
        : await lookUpText(account, text);
      if (refusedLogin !== undefined && !isLoginRefused) {
        isLoginRefused = true;
        logError({ request_id: requestId, event: "twilio_refused_login", error_code: refusedLogin });
      }
      return { state: state === "sending" ? null : state, isLast: isLoginRefused };
    },
    idsOf: ({ message_id, task }) => ({ message_id, step: task }),
  };
}

/**
 * Records that all due texts wait for a Twilio account. Logs one warning for texts that did not wait before.
 */
function heldTexts(requestId: string): Job<never> {
  return {
    atOnce: 1,
    async claim() {
      const held: number = await callDatabase("hold_texts", {});
      if (held > 0) {
        logWarning({ request_id: requestId, event: "no_account", texts: held, missing: "TWILIO_ACCOUNT_SID" });
      }
      return { items: [] };
    },
    handle: () => Promise.reject(new Error("nothing was claimed")),
    idsOf: () => ({}),
  };
}
