import { ApiError } from "./errors.ts";
import { type Json, parseJson } from "./json.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

/**
 * How much of a refused body is still read, so that the caller, who is busy sending, gets to see the answer
 * instead of a broken connection.
 */
const DRAIN_LIMIT = 64 * MIB;

const JSON_TYPES = /^(?:application\/json|[^;]+\+json|text\/plain)$/;

/**
 * Reads a JSON body of at most `limit` bytes, whatever its Content-Length says.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE or BAD_REQUEST.
 */
export async function readJson(request: Request, limit: number): Promise<Json> {
  const type = mediaType(request);
  if (type !== "" && !JSON_TYPES.test(type)) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as application/json");
  }
  return parseJson(await readText(request, limit));
}

/**
 * Reads an `application/x-www-form-urlencoded` body of at most `limit` bytes.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE or PAYLOAD_TOO_LARGE.
 */
export async function readForm(request: Request, limit: number): Promise<URLSearchParams> {
  if (mediaType(request) !== "application/x-www-form-urlencoded") {
    throw new ApiError(
      "UNSUPPORTED_MEDIA_TYPE",
      "send the body as application/x-www-form-urlencoded",
    );
  }
  return new URLSearchParams(await readText(request, limit));
}

/** Reads and forgets what is left of a body nobody wants, up to a bound. Never throws. */
export async function drain(request: Request): Promise<void> {
  if (request.body === null || request.bodyUsed) return;
  try {
    let size = 0;
    for await (const chunk of request.body) {
      size += chunk.byteLength;
      if (size > DRAIN_LIMIT) return;
    }
  } catch {
    // The caller has hung up; there is nobody left to answer.
  }
}

function mediaType(request: Request): string {
  const encoding = request.headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding");
  }
  const type = request.headers.get("content-type") ?? "";
  return (type.split(";", 1)[0] as string).trim().toLowerCase();
}

async function readText(request: Request, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size <= limit) chunks.push(chunk);
      else if (size > DRAIN_LIMIT) break;
    }
  } catch (cause) {
    throw new ApiError("BAD_REQUEST", "the body could not be read to its end", { cause });
  }
  if (size > limit) {
    const mib = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
    throw new ApiError("PAYLOAD_TOO_LARGE", `the body is larger than ${mib}`);
  }
  return new TextDecoder().decode(chunks.length === 1 ? chunks[0] : concat(chunks, size));
}

function concat(chunks: Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return whole;
}
