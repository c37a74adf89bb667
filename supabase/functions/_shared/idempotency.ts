import { readJson, type ReadOptions } from "./body.ts";
import { ApiError } from "./errors.ts";
import type { Json } from "./json.ts";
import { sha256Hex } from "./secrets.ts";

/** The Idempotency-Key of a request, as the SQL functions take it. */
export interface Idempotency {
  key: string;
  /** SHA-256 of the body's bytes, in hex. */
  request_hash: string;
  /** Which part of the request, from 0: a large one is stored in several transactions. */
  part: number;
}

const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Reads a JSON body, and with it the header `Idempotency-Key` where there is one: the SQL function that stores the request
 * then responds to a repeated one as to the first.
 *
 * @throws ApiError as readJson() does; BAD_REQUEST for a key that is not 1 to 255 visible ASCII characters.
 */
export async function readIdempotentJson(
  request: Request,
  limit: number,
  options: ReadOptions = {},
): Promise<{ body: Json; idempotency: Idempotency | null }> {
  const key = idempotencyKey(request);
  if (key === null) return { body: await readJson(request, limit, options), idempotency: null };
  let request_hash = "";
  const body = await readJson(request, limit, {
    ...options,
    onBytes: (bytes) => request_hash = sha256Hex(bytes),
  });
  return { body, idempotency: { key, part: 0, request_hash } };
}

/**
 * The header `Idempotency-Key`; null where there is none.
 *
 * @throws ApiError BAD_REQUEST for a key that is not 1 to 255 visible ASCII characters.
 */
export function idempotencyKey(request: Request): string | null {
  const key = request.headers.get("idempotency-key");
  if (key === null || VISIBLE_ASCII.test(key)) return key;
  throw new ApiError("BAD_REQUEST", "Idempotency-Key must be 1 to 255 visible ASCII characters");
}
