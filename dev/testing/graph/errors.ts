import type { Reply } from "../loopback_server.ts";

/**
 * Errors of the Graph API by their code: the HTTP status, the type and the message.
 * Source: https://developers.facebook.com/docs/graph-api/guides/error-handling and
 * https://developers.facebook.com/docs/graph-api/overview/rate-limiting
 */
const ERRORS: Record<number, [status: number, type: string, message: string]> = {
  1: [500, "OAuthException", "An unknown error occurred"],
  2: [503, "OAuthException", "Service temporarily unavailable"],
  4: [403, "OAuthException", "(#4) Application request limit reached"],
  10: [403, "OAuthException", "(#10) Application does not have permission for this action"],
  100: [400, "OAuthException", "(#100) Invalid parameter"],
  102: [400, "OAuthException", "Session key invalid or no longer valid"],
  190: [400, "OAuthException", "Error validating access token"],
  200: [403, "OAuthException", "(#200) Requires leads_retrieval permission to manage the object"],
  210: [403, "OAuthException", "(#210) A page access token is required to request this resource."],
  80005: [400, "OAuthException", "(#80005) There have been too many leadgen api calls from this Page account"],
};

/** The error with this code. A status overrides the usual one of the code. */
export function graphError(code: number, { status, subcode }: { status?: number; subcode?: number } = {}): Reply {
  const [usual, type, message] = ERRORS[code] ?? [400, "OAuthException", `(#${code}) Refused`];
  const error = { message, type, code, ...(subcode && { error_subcode: subcode }), fbtrace_id: "AdoubleXtrace" };
  return { status: status ?? usual, body: { error } };
}

/** The header by which Meta says after how many minutes calls are taken again. */
export function usageHeader(minutes: number): Record<string, string> {
  const use = { type: "leadgen", call_count: 100, total_cputime: 12, total_time: 9 };
  const uses = [{ ...use, estimated_time_to_regain_access: minutes }];
  return { "x-business-use-case-usage": JSON.stringify({ "900000000000001": uses }) };
}
