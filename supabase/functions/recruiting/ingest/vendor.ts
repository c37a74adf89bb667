import { bearerToken } from "../../_shared/bearer.ts";
import { callDatabase } from "../../_shared/database.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { Json } from "../../_shared/json.ts";
import { sha256Hex } from "../../_shared/secrets.ts";
import type { SqlResults } from "../../_shared/sql_functions.ts";
import { parserNamed } from "../parsers/index.ts";
import type { ParsedLead } from "../parsers/parser.ts";

/** A vendor whose key has been checked. */
export interface Vendor {
  id: string;
  keyHash: string;
  /** The vendor's parser, with its configuration. */
  parse: (payload: Json) => ParsedLead;
}

/**
 * How long an isolate goes by what it knows of a key, in milliseconds. The SQL functions that write check the key
 * again, so a revoked key stops at once; a changed parser takes effect within this time.
 */
const CACHE_MS = 10_000;
const CACHE_SIZE = 1_000;

const cache = new Map<string, { vendor: Vendor; until: number }>();

/**
 * The vendor whose key the request shows as `Authorization: Bearer <key>`.
 *
 * @throws ApiError UNAUTHORIZED without a valid key; BAD_REQUEST where the vendor has no parser.
 */
export async function authenticateVendor(request: Request): Promise<Vendor> {
  const key = bearerToken(request);
  if (key === undefined) {
    throw unauthorized("send the vendor API key as `Authorization: Bearer <VENDOR_API_KEY>`");
  }
  const keyHash = sha256Hex(key);
  const cached = cache.get(keyHash);
  if (cached && cached.until > Date.now()) return cached.vendor;

  const row = await withVendor(
    keyHash,
    () => callDatabase("authenticate_vendor", { key_hash: keyHash }, { retryWithin: 2_000 }),
  );
  const vendor = toVendor(keyHash, row);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(keyHash, { vendor, until: Date.now() + CACHE_MS });
  return vendor;
}

/** Runs a call that checks the key in the database; a refused key is forgotten and answered with UNAUTHORIZED. */
export async function withVendor<Result>(
  keyHash: string,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "UNAUTHORIZED") throw error;
    cache.delete(keyHash);
    throw unauthorized(error.message, error.cause);
  }
}

function toVendor(
  keyHash: string,
  { vendor_id, parser, parser_config }: SqlResults["authenticate_vendor"],
): Vendor {
  const parse = parserNamed(parser ?? "");
  if (parse === undefined) {
    throw new ApiError("BAD_REQUEST", "no parser is configured for the vendor");
  }
  return { id: vendor_id, keyHash, parse: (payload) => parse(payload, parser_config) };
}

function unauthorized(message: string, cause?: unknown): ApiError {
  const headers = { "WWW-Authenticate": 'Bearer realm="recruiting"' };
  return new ApiError("UNAUTHORIZED", message, { headers, cause });
}
