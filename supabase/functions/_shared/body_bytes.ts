import { BodyStream, GrowingBytes } from "./body_stream.ts";
import { ApiError } from "./errors.ts";
import type { Json } from "./json.ts";
import { letOthersCome, roomFor, takeRoom } from "./large_bodies.ts";

export const KIB = 1024;
export const MIB = 1024 * KIB;

/** How long a body may take to arrive, in milliseconds; waiting for others is part of it. */
export const BODY_WITHIN_MS = 30_000;

/** A body that others wait for must bring so many bytes in so many milliseconds. */
const PACE = { bytes: 2 * MIB, ms: 2_000 };

/** How much of a body is kept for the journal, in case it is refused. */
const BEGINNING_BYTES = 256 * KIB;

/**
 * How much of a refused body is read, and for how many milliseconds. The hosted platform keeps a response from a caller
 * who is still sending (github.com/supabase/edge-runtime/issues/737).
 */
const DRAIN = { bytes: 32 * MIB, ms: 5_000 };

/** What has been received of a request's body. */
export interface ReceivedBody {
  /** How many bytes there are, by Content-Length where not all have been read. */
  bytes: number;
  /** The first of them, at most 256 KiB. */
  beginning: Uint8Array;
  /** The JSON value, where the body has one. */
  value?: Json;
}

const NOTHING: ReceivedBody = { bytes: 0, beginning: new Uint8Array() };
const received = new WeakMap<Request, ReceivedBody>();

/** What has been received of a request's body. */
export function receivedBody(request: Request): ReceivedBody {
  const body = received.get(request) ?? NOTHING;
  return { ...body, bytes: Math.max(body.bytes, announcedBytes(request)) };
}

/** Keeps of a body what {@link receivedBody} gives. */
export function keepReceived(request: Request, bytes: Uint8Array): ReceivedBody {
  const body = { bytes: bytes.length, beginning: bytes.slice(0, BEGINNING_BYTES) };
  received.set(request, body);
  return body;
}

/**
 * Reads the bytes of a body.
 *
 * @param sender who sends it; undefined for a stranger
 * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, or BAD_REQUEST for one that breaks off or comes in tiny pieces.
 */
export async function readBytes(
  request: Request,
  limit: number,
  sender: string | undefined,
  deadline: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const announced = announcedBytes(request);
  if (announced > limit) throw tooLarge(limit);
  if (request.body === null) return new Uint8Array();

  const room = roomFor(sender);
  const stream = new BodyStream(request.body);
  deadline.addEventListener("abort", () => stream.cancel(), { once: true });
  const body = new GrowingBytes();
  let watch: ReturnType<typeof setInterval> | undefined;
  let isTooSlow = false;
  try {
    for await (const piece of stream) {
      body.append(piece);
      if (body.size > limit) throw tooLarge(limit);
      if (body.size < room.from || watch !== undefined) continue;
      await takeRoom(request, announced || limit, sender, deadline);
      body.makeRoom(announced);
      let before = body.size;
      watch = setInterval(() => {
        isTooSlow ||= body.size - before < PACE.bytes && room.turns.isWaitedFor(sender);
        if (isTooSlow) stream.cancel();
        before = body.size;
      }, PACE.ms);
    }
    if (deadline.aborted) {
      throw timeout(`the body did not arrive within ${BODY_WITHIN_MS / 1_000} s`);
    }
    if (isTooSlow) {
      throw timeout("the body came too slowly while others were waiting; send it again");
    }
    return body.bytes;
  } catch (cause) {
    keepReceived(request, body.bytes);
    // Left to the garbage collector, they would stay for as long as there is memory.
    body.bytes.buffer.transfer(0);
    letOthersCome(request);
    if (!(cause instanceof ApiError)) {
      throw new ApiError("BAD_REQUEST", "the body could not be read to its end", { cause });
    }
    // Of a body that is given up, nothing more is read.
    if (cause.code === "PAYLOAD_TOO_LARGE") stream.release();
    throw cause;
  } finally {
    clearInterval(watch);
  }
}

/**
 * Reads and forgets what is left of a body when the response is known, up to a bound. Never throws.
 *
 * @param keep whether {@link receivedBody} is to have the beginning of a body that was refused unread
 */
export async function finishBody(request: Request, keep = false): Promise<void> {
  if (request.body === null || request.body.locked) return;
  if (announcedBytes(request) > DRAIN.bytes) return;
  const stream = new BodyStream(request.body);
  const timer = setTimeout(() => stream.cancel(), DRAIN.ms);
  const before = received.get(request) ?? NOTHING;
  const beginning = new GrowingBytes();
  beginning.append(before.beginning);
  let bytes = 0;
  try {
    for await (const piece of stream) {
      bytes += piece.length;
      if (keep) beginning.append(piece.subarray(0, BEGINNING_BYTES - beginning.size));
      if (bytes > DRAIN.bytes) break;
    }
  } catch {
    // The caller has hung up, or sends tiny pieces.
  } finally {
    clearTimeout(timer);
  }
  received.set(request, { bytes: before.bytes + bytes, beginning: beginning.bytes });
}

/** Forgets a body that nobody needs any more, and lets another large one take its place. */
export function releaseBody(request: Request): void {
  received.delete(request);
  letOthersCome(request);
}

/** How large the sender says the body is, in bytes; 0 where it does not say. */
export function announcedBytes(request: Request): number {
  return Number(request.headers.get("content-length")) || 0;
}

/** The error for a body of more bytes than the limit. */
export function tooLarge(limit: number): ApiError {
  const size = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
  return new ApiError("PAYLOAD_TOO_LARGE", `the body is larger than ${size}`);
}

function timeout(message: string): ApiError {
  return new ApiError("REQUEST_TIMEOUT", message);
}
