import { ApiError } from "../errors.ts";
import { type Json, JSON_BOUNDS, parseScanned } from "../json.ts";
import { type JsonBounds, scanJson } from "../json_scan.ts";
import { sha256Hex } from "../secrets.ts";
import { BODY_WITHIN_MS, LARGE } from "./limits.ts";
import type { IncomingBody } from "./read.ts";

/** The options of reading a body. */
export interface ReadOptions {
  /** The bounds of the JSON value; by default those of one record. */
  bounds?: JsonBounds;
  /** The sender's key; undefined for an unknown sender. Bodies of one sender share memory. */
  sender?: string;
  /** The maximum number of milliseconds for the body to arrive. */
  within?: number;
}

/** The Idempotency-Key of a request, as the SQL functions expect it. */
export interface Idempotency {
  key: string;
  /** SHA-256 of the body's bytes, in hexadecimal. */
  request_hash: string;
  /** The index of the part, from 0: a large request is stored in several transactions. */
  part: number;
}

/** A JSON body and its Idempotency-Key; null if the request has none. */
export interface JsonBody {
  body: Json;
  idempotency: Idempotency | null;
}

/**
 * Reads a JSON body of at most `limit` bytes, whatever its Content-Length, and the `Idempotency-Key` header. With the
 * key, the SQL function that stores the request returns the first response to a repeated request.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST, also if the key is
 * invalid.
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
 * Parses the bytes of a JSON body. A large body waits until it may be processed.
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
  // Many records take many times their size in memory.
  await incoming.startWork(isLarge, bounds.values > LARGE.values, deadline);
  return incoming.value = parseScanned(bytes, scan);
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Returns the `Idempotency-Key` header; null if there is none.
 *
 * @throws ApiError BAD_REQUEST if the key is not 1 to 255 visible ASCII characters.
 */
export function idempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key === null || VISIBLE_ASCII.test(key)) return key;
  throw new ApiError("BAD_REQUEST", "Idempotency-Key must be 1 to 255 visible ASCII characters");
}

const JSON_TYPES = /^(?:|application\/json|[^;]+\+json|text\/plain)$/;

/** Returns whether a body of this media type is read as JSON. */
export function isJson(mediaType: string): boolean {
  return JSON_TYPES.test(mediaType);
}
