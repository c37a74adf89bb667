import type { Reply } from "../loopback_server.ts";

/**
 * Twilio's errors by their code: the HTTP status and the message.
 * Source: https://www.twilio.com/docs/api/errors and https://www.twilio.com/docs/iam/test-credentials
 */
const ERRORS: Record<number, [status: number, message: string]> = {
  20003: [401, "Authenticate"],
  20009: [409, "Cannot delete this resource before it is complete"],
  20404: [404, "The requested resource was not found"],
  20429: [429, "Too Many Requests"],
  20500: [500, "Internal Server Error"],
  21211: [400, "Invalid 'To' Phone Number"],
  21602: [400, "Message body is required."],
  21603: [400, "A 'From' phone number is required."],
  21604: [400, "A 'To' phone number is required."],
  21609: [400, "The 'StatusCallback' URL is not a valid URL."],
  21610: [400, "Attempt to send to unsubscribed recipient"],
  21611: [429, "SMS queue is full."],
  21614: [400, "'To' number is not a valid mobile number"],
  21617: [400, "The concatenated message body exceeds the 1600 character limit."],
  21620: [400, "Invalid media URL(s)"],
  21623: [400, "Number of media files exceeds allowed limit"],
  21624: [400, "Invalid validity period value"],
};

/** The response to a request that Twilio refuses. A status overrides the usual one of the code. */
export function refusal(code: number, status?: number): Reply {
  const [usual, message] = ERRORS[code] ?? [400, "Bad Request"];
  const more_info = `https://www.twilio.com/docs/errors/${code}`;
  return { status: status ?? usual, body: { code, message, more_info, status: status ?? usual } };
}
