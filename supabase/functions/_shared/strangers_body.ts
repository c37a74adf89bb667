import { ApiError } from "./errors.ts";
import { parseForm } from "./form_body.ts";
import { BODY_WITHIN_MS, type IncomingBody, inTime, LARGE } from "./incoming_body.ts";
import { type Json, JSON_BOUNDS } from "./json.ts";
import { parseJsonBody } from "./json_body.ts";
import { isJson, mediaType, MULTIPART, URL_ENCODED } from "./media_type.ts";

/**
 * Reads a body of at most `limit` bytes whose sender is not known yet, as a webhook's: JSON, or a form, which becomes
 * an object (see parseForm()). The type of the body is looked at once the sender is known.
 *
 * @param identify is given the bytes, and throws UNAUTHORIZED for a stranger. Where the body could not be read, it is
 * given null, and the error of the body comes first.
 * @param within milliseconds that the body may take to arrive
 * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST for a body that could not be read; else what
 * `identify` throws; else UNSUPPORTED_MEDIA_TYPE, or what a known sender's body is refused for.
 */
export async function readStrangersBody<Sender>(
  incoming: IncomingBody,
  limit: number,
  identify: (bytes: Uint8Array | null) => Promise<Sender>,
  within = BODY_WITHIN_MS,
): Promise<{ sender: Sender; body: Json }> {
  return await inTime(within, async (deadline) => {
    const bytes = await incoming.read(limit, undefined, deadline).catch(async (error) => {
      await identify(null).catch(() => {});
      throw error;
    });
    const sender = await identify(bytes).catch((error) => {
      bytes.buffer.transfer(0);
      throw error;
    });
    return { sender, body: await parse(incoming, bytes, deadline) };
  });
}

async function parse(
  incoming: IncomingBody,
  bytes: Uint8Array<ArrayBuffer>,
  deadline: AbortSignal,
): Promise<Json> {
  const type = mediaType(incoming.headers);
  const isForm = type === MULTIPART || type === URL_ENCODED && !isMislabelledJson(bytes);
  if (isForm) {
    // An uploaded file takes three times its bytes.
    await incoming.startWork(bytes.length > LARGE.bytes, type === MULTIPART, deadline);
    const contentType = incoming.headers.get("content-type")!;
    return incoming.value = parseForm(bytes, contentType, JSON_BOUNDS);
  }
  if (!isJson(type) && type !== URL_ENCODED) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as JSON or as a form");
  }
  return await parseJsonBody(incoming, bytes, JSON_BOUNDS, deadline);
}

/** Whether JSON is sent as a form, as curl does unless told otherwise. A form has these brackets percent-encoded. */
function isMislabelledJson(bytes: Uint8Array): boolean {
  return /^\s*[[{]/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}
