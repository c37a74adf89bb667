import { ApiError } from "../errors.ts";
import { type Json, JSON_BOUNDS, parseScanned } from "../json.ts";
import { type JsonBounds, scanJson } from "../json_scan.ts";
import { sha256Hex } from "../secrets.ts";
import { BODY_WITHIN_MS, LARGE } from "./limits.ts";
import type { IncomingBody } from "./read.ts";

/** The options of reading a body. */
export interface ReadOptions {
  /** The bounds of its values; by default those of one record. */
  bounds?: JsonBounds;
  /** The sender's key; undefined for an unknown sender. The bodies of one sender share room in memory. */
  sender?: string;
  /** Milliseconds that it may take to arrive. */
  within?: number;
}

/** The Idempotency-Key of a request, as the SQL functions take it. */
export interface Idempotency {
  key: string;
  /** SHA-256 of the body's bytes, in hex. */
  request_hash: string;
  /** The part of the request, from 0: a large one is stored in several transactions. */
  part: number;
}

/** A JSON body, and the Idempotency-Key that came with it; null without one. */
export interface JsonBody {
  body: Json;
  idempotency: Idempotency | null;
}

/**
 * Reads a JSON body of at most `limit` bytes, whatever its Content-Length says, and the header `Idempotency-Key`. The
 * SQL function that stores the request then responds to a repeated one as to the first.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST, also for a wrong key.
 */
export async function readJson(
  incoming: IncomingBody,
  limit: number,
  { bounds = JSON_BOUNDS, sender, within = BODY_WITHIN_MS }: ReadOptions = {},
): Promise<JsonBody> {
  const key = idempotencyKey(incoming.headers);
  if (!isJson(incoming.mediaType)) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as application/json");
  }
  return await incoming.inTime(within, async (end) => {
    const bytes = await incoming.read(limit, sender, end);
    const idempotency = key === null ? null : { key, part: 0, request_hash: sha256Hex(bytes) };
    return { body: await parseJsonBody(incoming, bytes, bounds, end.signal), idempotency };
  });
}

/**
 * Parses the bytes of a JSON body, a large one when it may be worked on.
 *
 * @throws ApiError BAD_REQUEST, PAYLOAD_TOO_LARGE or REQUEST_TIMEOUT.
 */
export async function parseJsonBody(
  incoming: IncomingBody,
  bytes: Uint8Array<ArrayBuffer>,
  bounds: JsonBounds,
  deadline: AbortSignal,
): Promise<Json> {
  const scan = scanJson(bytes, bounds);
  const isLarge = bytes.length > LARGE.bytes || scan.values > LARGE.values;
  // Many records take many times their bytes.
  await incoming.startWork(isLarge, bounds.values > LARGE.values, deadline);
  return incoming.value = parseScanned(bytes, scan);
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * The header `Idempotency-Key`; null where there is none.
 *
 * @throws ApiError BAD_REQUEST for a key that is not 1 to 255 visible ASCII characters.
 */
export function idempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key === null || VISIBLE_ASCII.test(key)) return key;
  throw new ApiError("BAD_REQUEST", "Idempotency-Key must be 1 to 255 visible ASCII characters");
}

const JSON_TYPES = /^(?:|application\/json|[^;]+\+json|text\/plain)$/;

/** Whether a body of this media type is read as JSON. */
export function isJson(mediaType: string): boolean {
  return JSON_TYPES.test(mediaType);
}
