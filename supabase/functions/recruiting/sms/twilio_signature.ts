import { validateRequest } from "twilio/lib/webhooks/webhooks.js";
import { ApiError } from "../../_shared/errors.ts";
import { secretsFromEnv } from "../../_shared/secrets.ts";

/**
 * Lets a request pass that Twilio has signed with one of the tokens in `TWILIO_AUTH_TOKEN`.
 *
 * @param form every parameter of the body, known or not: the signature covers them all
 * @throws ApiError UNAUTHORIZED, also when no token is set.
 * @see https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export function requireTwilioSignature(request: Request, form: URLSearchParams): void {
  const signature = request.headers.get("x-twilio-signature");
  if (!signature) {
    throw new ApiError("UNAUTHORIZED", "X-Twilio-Signature is missing");
  }

  const urls = publicUrls(request);
  const parameters = valuesByName(form);
  const isSigned = secretsFromEnv("TWILIO_AUTH_TOKEN")
    .some((token) => urls.some((url) => validateRequest(token, signature, url, parameters)));
  if (!isSigned) {
    throw new ApiError("UNAUTHORIZED", "X-Twilio-Signature does not match");
  }
}

/**
 * The address Twilio has called, as it may have been spelt. Only configuration knows it: a hosted function sees an
 * internal one, and a forwarded header is the caller's own word. Path and query stay as received, since the signature
 * covers their very characters.
 */
function publicUrls(request: Request): string[] {
  const base = pastedUrl(Deno.env.get("PUBLIC_FUNCTIONS_URL") ?? "") ||
    `${pastedUrl(Deno.env.get("SUPABASE_URL") ?? "")}/functions/v1`;
  const pathAndQuery = request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2));
  const url = base + pathAndQuery;
  // Of all that may stand in a query, a Request escapes the apostrophe alone; Twilio signs what is configured.
  return url.includes("%27") ? [url, url.replaceAll("%27", "'")] : [url];
}

// Spaces, quotes and a slash easily come along when an address is pasted into a dashboard or an .env file.
function pastedUrl(value: string): string {
  return value.replace(/^[\s"']+|[\s"'/]+$/g, "");
}

// A list of values for each name, even a single one: the library signs a name's distinct values in their sorted order.
function valuesByName(form: URLSearchParams): Record<string, string[]> {
  const pairsByName = Map.groupBy(form, ([name]) => name);
  return Object.fromEntries(
    pairsByName.entries().map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
  );
}
