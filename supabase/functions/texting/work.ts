import type { RequestContext } from "../_shared/app.ts";
import { continueAfterResponse } from "../_shared/background.ts";
import { ApiError } from "../_shared/errors.ts";
import { bearerToken, matchesSecret, secretsFromEnv } from "../_shared/secrets.ts";
import { greetedCountries } from "./countries.ts";
import { twilioAccount } from "./twilio_account.ts";
import { sendDueTexts } from "./worker.ts";

/**
 * POST /texting/work: sends the texts that are due, and looks up those of which it is not known whether Twilio has
 * them. Responds when nothing is due any more, or after 1,000 texts or about 40 s. The response counts the texts by the
 * state they were left in.
 */
export async function work({ request, requestId, log }: RequestContext): Promise<Response> {
  requireWorkerKey(request);
  // A wrong setting is an error at once, and not only with the next greeting.
  greetedCountries();
  const working = sendDueTexts(twilioAccount(), requestId);
  // The caller may hang up before it ends.
  continueAfterResponse(working.catch(() => {}));
  const counts = await working;
  Object.assign(log, counts);
  return Response.json(counts);
}

function requireWorkerKey(request: Request): void {
  if (matchesSecret(bearerToken(request) ?? "", secretsFromEnv("TEXTING_WORKER_KEY"))) return;
  throw new ApiError("UNAUTHORIZED", "send TEXTING_WORKER_KEY as `Authorization: Bearer`", {
    headers: { "WWW-Authenticate": 'Bearer realm="texting"' },
  });
}
