import { validateRequest } from "twilio/lib/webhooks/webhooks.js";
import { ApiError } from "../../_shared/errors.ts";
import { publicFunctionsUrl } from "../../_shared/public_url.ts";
import { secretsFromEnv } from "../../_shared/secrets.ts";

/**
 * Requires that the request is signed by Twilio with one of the tokens in `TWILIO_AUTH_TOKEN`.
 *
 * @param form every parameter of the body, known or not, because the signature covers all of them
 * @throws ApiError UNAUTHORIZED, also if no token is set.
 * @see https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export function requireTwilioSignature(request: Request, form: URLSearchParams): void {
  const signature = signatureOf(request);
  const urls = publicUrls(request);
  const parameters = valuesByName(form);
  const isSigned = secretsFromEnv("TWILIO_AUTH_TOKEN")
    .some((token) => urls.some((url) => validateRequest(token, signature, url, parameters)));
  if (!isSigned) throw notSigned();
}

/** The response to a request without a valid signature of Twilio. */
export function notSigned(): ApiError {
  return new ApiError("UNAUTHORIZED", "X-Twilio-Signature does not match");
}

/**
 * Returns the signature of a request, valid or not.
 *
 * @throws ApiError UNAUTHORIZED if there is none.
 */
export function signatureOf(request: Request): string {
  const signature = request.headers.get("x-twilio-signature");
  if (!signature) throw new ApiError("UNAUTHORIZED", "X-Twilio-Signature is missing");
  return signature;
}

/**
 * Returns the URL that Twilio called, in each spelling that it may have signed. Its origin comes from configuration: a
 * hosted function sees an internal URL, and the caller controls forwarded headers. Path and query stay exactly as
 * received, because the signature covers each character.
 */
function publicUrls(request: Request): string[] {
  const pathAndQuery = request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2));
  const url = publicFunctionsUrl() + pathAndQuery;
  // In a query, a Request escapes only the apostrophe. Twilio signs the URL as it was configured.
  return url.includes("%27") ? [url, url.replaceAll("%27", "'")] : [url];
}

// Each name gets a list, even for one value. For a list, the library signs the distinct values in sorted order.
function valuesByName(form: URLSearchParams): Record<string, string[]> {
  const pairsByName = Map.groupBy(form, ([name]) => name);
  return Object.fromEntries(
    pairsByName.entries().map(([name, pairs]) => [name, pairs.map(([, value]) => value)]),
  );
}
