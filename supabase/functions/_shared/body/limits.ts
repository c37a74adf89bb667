import { ApiError } from "../errors.ts";
import { KIB, MIB } from "../units.ts";

/** The milliseconds that a body may take to arrive, with the time that it waits for others. */
export const BODY_WITHIN_MS = 30_000;

/** A body of more bytes or values than this is large. Few large ones are worked on at a time. */
export const LARGE = { bytes: 4 * MIB, values: 100_000 };

/** A body that announces no more bytes than this is read at once, which takes half the time. */
export const SMALL_BYTES = 64 * KIB;

/** The bytes of a payload that are kept, in case its delivery is rejected. Of a larger one it is the beginning. */
export const KEPT_BYTES = 256 * KIB;

/**
 * The bytes of a refused body that are read, and the milliseconds for it. The hosted platform keeps a response from a
 * caller who is still sending (github.com/supabase/edge-runtime/issues/737).
 */
export const DRAIN = { bytes: 32 * MIB, ms: 5_000 };

/** The error for a body of more bytes than the limit. */
export function tooLarge(limit: number): ApiError {
  const size = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
  return new ApiError("PAYLOAD_TOO_LARGE", `the body is larger than ${size}`);
}
