import { ApiError } from "../errors.ts";
import { KIB, MIB } from "../units.ts";

/** The maximum number of milliseconds for a body to arrive, including the time that it waits for others. */
export const BODY_WITHIN_MS = 30_000;

/** A body with more bytes or values than this is large. Only a few large bodies are processed at a time. */
export const LARGE = { bytes: 4 * MIB, values: 100_000 };

/** A body that announces at most this size is read in one call, which takes half the time. */
export const SMALL_BYTES = 64 * KIB;

/** The number of bytes stored of a payload whose delivery is rejected. A larger payload is truncated. */
export const KEPT_BYTES = 256 * KIB;

/**
 * The number of bytes, and of milliseconds, that are spent reading the rest of a refused body. The hosted platform
 * withholds the response from a caller that is still sending (github.com/supabase/edge-runtime/issues/737).
 */
export const DRAIN = { bytes: 32 * MIB, ms: 5_000 };

/** The error for a body that exceeds the limit. */
export function tooLarge(limit: number): ApiError {
  const size = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
  return new ApiError("PAYLOAD_TOO_LARGE", `the body is larger than ${size}`);
}
