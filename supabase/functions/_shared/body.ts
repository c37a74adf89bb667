import { announcedBytes, BODY_WITHIN_MS, keepReceived, readBytes, tooLarge } from "./body_bytes.ts";
import { ApiError } from "./errors.ts";
import { FORM_TYPES, parseForm } from "./form_body.ts";
import { type Json, JSON_BOUNDS, parseScanned } from "./json.ts";
import { type JsonBounds, scanJson } from "./json_scan.ts";
import { LARGE, letOthersCome, takeTurn } from "./large_bodies.ts";

const JSON_TYPES = /^(?:application\/json|[^;]+\+json|text\/plain)$/;

/** How a body is read. */
export interface ReadOptions {
  /** What it may hold; by default what one record may. */
  bounds?: JsonBounds | undefined;
  /** Who sends it. One sender's large bodies wait for each other first. */
  sender?: string;
  /** Milliseconds that it may take to arrive. */
  within?: number;
  /** Called with the bytes of the whole body before they are parsed. */
  onBytes?: (bytes: Uint8Array) => void;
}

/**
 * Reads a JSON body of at most `limit` bytes, whatever its Content-Length says.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST.
 */
export async function readJson(
  request: Request,
  limit: number,
  { bounds = JSON_BOUNDS, sender, within = BODY_WITHIN_MS, onBytes }: ReadOptions = {},
): Promise<Json> {
  const type = mediaType(request);
  if (!isJson(type)) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as application/json");
  }
  return await inTime(within, async (deadline) => {
    const bytes = await readBytes(request, limit, sender, deadline);
    onBytes?.(bytes);
    return await parseBody(request, type, bytes, bounds, deadline);
  });
}

/**
 * Reads a body of at most `limit` bytes whose sender is not known yet, as a webhook's: JSON as {@link readJson} takes it,
 * or a form, which becomes an object (see parseForm()). Its type is looked at once the sender is known.
 *
 * @param identify is given the bytes, and throws UNAUTHORIZED for a stranger. Of a body that could not be read it is given
 * none, and the error of the body comes first.
 * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST for a body that could not be read; else what
 * `identify` throws; else UNSUPPORTED_MEDIA_TYPE, or what a known sender's body is refused for.
 */
export async function readStrangersBody<Sender>(
  request: Request,
  limit: number,
  identify: (bytes: Uint8Array) => Promise<Sender>,
  { within = BODY_WITHIN_MS }: ReadOptions = {},
): Promise<{ sender: Sender; body: Json }> {
  return await inTime(within, async (deadline) => {
    const bytes = await readBytes(request, limit, undefined, deadline).catch(async (error) => {
      await identify(new Uint8Array()).catch(() => {});
      throw error;
    });
    const sender = await identify(bytes).catch((error) => {
      bytes.buffer.transfer(0);
      throw error;
    });
    const type = mediaType(request);
    if (!isJson(type) && !FORM_TYPES.includes(type)) {
      keepReceived(request, bytes);
      throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as JSON or as a form");
    }
    return { sender, body: await parseBody(request, type, bytes, JSON_BOUNDS, deadline) };
  });
}

/**
 * Reads an `application/x-www-form-urlencoded` body of at most `limit` bytes.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST.
 */
export async function readForm(request: Request, limit: number): Promise<URLSearchParams> {
  checkFormHeaders(request, limit);
  const bytes = await inTime(
    BODY_WITHIN_MS,
    (deadline) => readBytes(request, limit, undefined, deadline),
  );
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/**
 * Refuses what can be refused before a form is read.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE or PAYLOAD_TOO_LARGE.
 */
export function checkFormHeaders(request: Request, limit: number): void {
  if (mediaType(request) !== "application/x-www-form-urlencoded") {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      "send the body as application/x-www-form-urlencoded",
    );
  }
  if (announcedBytes(request) > limit) throw tooLarge(limit);
}

async function parseBody(
  request: Request,
  type: string,
  bytes: Uint8Array<ArrayBuffer>,
  bounds: JsonBounds,
  deadline: AbortSignal,
): Promise<Json> {
  const body = keepReceived(request, bytes);
  const waitForTurn = (isLarge: boolean, alone: boolean) =>
    isLarge ? takeTurn(request, alone, deadline) : letOthersCome(request);
  if (FORM_TYPES.includes(type) && !isMislabelledJson(type, bytes)) {
    // The platform copies an uploaded file several times.
    await waitForTurn(bytes.length > LARGE.bytes, type.startsWith("multipart/"));
    return body.value = await parseForm(bytes, request.headers.get("content-type")!, bounds);
  }
  const scan = scanJson(bytes, bounds);
  // Many records take many times their bytes.
  const isBatch = bounds.values > LARGE.values;
  await waitForTurn(bytes.length > LARGE.bytes || scan.values > LARGE.values, isBatch);
  return body.value = parseScanned(bytes, scan);
}

/** Whether JSON is sent as a form, as curl does unless told otherwise. A form has these brackets percent-encoded. */
function isMislabelledJson(type: string, bytes: Uint8Array): boolean {
  return type === "application/x-www-form-urlencoded" &&
    /^\s*[[{]/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}

function isJson(type: string): boolean {
  return type === "" || JSON_TYPES.test(type);
}

function mediaType(request: Request): string {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding");
  }
  const type = request.headers.get("content-type") ?? "";
  return (type.split(";", 1)[0] as string).trim().toLowerCase();
}

/** Runs something that ends with REQUEST_TIMEOUT once the deadline has passed. */
async function inTime<Result>(
  within: number,
  run: (deadline: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), within);
  try {
    return await run(deadline.signal);
  } finally {
    clearTimeout(timer);
  }
}
