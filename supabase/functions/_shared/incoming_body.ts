import { BodyStream, GrowingBytes } from "./body_stream.ts";
import { ApiError } from "./errors.ts";
import type { Json } from "./json.ts";
import { SEMAPHORES } from "./semaphores.ts";
import { KIB, MIB } from "./units.ts";

/** How long a body may take to arrive, in milliseconds; waiting for others is part of it. */
export const BODY_WITHIN_MS = 30_000;

/** A body of more bytes or values than this is large. */
export const LARGE = { bytes: 4 * MIB, values: 100_000 };

/** A body that announces no more bytes than this is read at once, which takes half the time. */
const SMALL_BYTES = 64 * KIB;

/**
 * What arriving bodies share: a body needs its bytes of the memory once it has `from`. Strangers may be many, so they
 * need it early. It is their own, so they never hold up known senders.
 */
const KNOWN = { from: LARGE.bytes, memory: SEMAPHORES.knownBytes };
const STRANGERS = { from: SMALL_BYTES, memory: SEMAPHORES.unknownBytes };

/** What a body takes of the work on large ones where no other may be at work meanwhile. */
const ALONE = 2;

/** A body that others wait for must bring so many bytes in so many milliseconds. */
const PACE = { bytes: 2 * MIB, ms: 2_000 };

/** How much of a body is kept, in case its delivery is rejected. */
const BEGINNING_BYTES = 256 * KIB;

/**
 * How much of a refused body is read, and for how many milliseconds. The hosted platform keeps a response from a caller
 * who is still sending (github.com/supabase/edge-runtime/issues/737).
 */
const DRAIN = { bytes: 32 * MIB, ms: 5_000 };

/** What has been received of a body. */
export interface ReceivedBody {
  /** How many bytes there are, by Content-Length where not all have been read. */
  bytes: number;
  /** The first of them, at most 256 KiB. */
  beginning: Uint8Array;
  /** The JSON value, where the body has one. */
  value: Json | undefined;
}

/**
 * The body of one request, which is read within bounds of size, time and memory. Somebody calls {@link finish} and
 * {@link release} once the response is known.
 */
export class IncomingBody {
  readonly headers: Headers;
  /** How large the sender says the body is, in bytes; 0 where it does not say. */
  readonly announced: number;
  /** The JSON value, once it has been parsed. */
  value: Json | undefined;
  readonly #request: Request;
  #isRead = false;
  #bytes = 0;
  #beginning = new Uint8Array();
  #giveBack: (() => void) | undefined;

  constructor(request: Request) {
    this.#request = request;
    this.headers = request.headers;
    this.announced = Number(request.headers.get("content-length")) || 0;
  }

  /** What has been received so far. */
  get received(): ReceivedBody {
    const bytes = Math.max(this.#bytes, this.announced);
    return { bytes, beginning: this.#beginning, value: this.value };
  }

  /**
   * Reads the bytes.
   *
   * @param limit how many there may be, whatever Content-Length says
   * @param sender who sends them; undefined for a stranger
   * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, or BAD_REQUEST for a body that breaks off or comes in tiny
   * pieces.
   */
  async read(
    limit: number,
    sender: string | undefined,
    deadline: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (this.announced > limit) throw tooLarge(limit);
    this.#isRead = this.announced > 0 && this.announced <= SMALL_BYTES;
    const bytes = this.#isRead
      ? await readAtOnce(this.#request, deadline)
      : await this.#readPieces(this.#request.body, limit, sender, deadline);
    this.#keep(bytes);
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  }

  /**
   * Waits until a large body may be worked on, and gives back what it has had of the memory for arriving bodies.
   *
   * @param isLarge only then it waits
   * @param alone whether the work takes so much memory that no other may be at work meanwhile
   * @throws ApiError REQUEST_TIMEOUT where the deadline comes first.
   */
  async startWork(isLarge: boolean, alone: boolean, deadline: AbortSignal): Promise<void> {
    if (!isLarge) return this.release();
    this.#hold(await SEMAPHORES.largeBodies.acquire(deadline, { permits: alone ? ALONE : 1 }));
  }

  /** Lets other large bodies take the place of this one. */
  release(): void {
    this.#giveBack?.();
  }

  /**
   * Reads and forgets what is left of the body when the response is known, up to a bound. Never throws.
   *
   * @param keep whether {@link received} is to have the beginning of a body that was refused unread
   */
  async finish(keep = false): Promise<void> {
    if (this.#isRead) return;
    const { body } = this.#request;
    if (body === null || body.locked || this.announced > DRAIN.bytes) return;
    const stream = new BodyStream(body);
    const timer = setTimeout(() => stream.cancel(), DRAIN.ms);
    const beginning = new GrowingBytes();
    beginning.append(this.#beginning);
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
    this.#bytes += bytes;
    this.#beginning = beginning.bytes;
  }

  async #readPieces(
    source: ReadableStream<Uint8Array<ArrayBuffer>> | null,
    limit: number,
    sender: string | undefined,
    deadline: AbortSignal,
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (source === null) return new Uint8Array();
    const { from, memory } = sender === undefined ? STRANGERS : KNOWN;
    const stream = new BodyStream(source);
    deadline.addEventListener("abort", () => stream.cancel(), { once: true });
    const body = new GrowingBytes();
    let watch: ReturnType<typeof setInterval> | undefined;
    let isTooSlow = false;
    try {
      for await (const piece of stream) {
        body.append(piece);
        if (body.size > limit) throw tooLarge(limit);
        if (body.size < from || watch !== undefined) continue;
        const permits = this.announced || limit;
        this.#hold(await memory.acquire(deadline, { permits, sender }));
        body.makeRoom(this.announced);
        let before = body.size;
        watch = setInterval(() => {
          isTooSlow ||= body.size - before < PACE.bytes && memory.isWaitedFor(sender);
          if (isTooSlow) stream.cancel();
          before = body.size;
        }, PACE.ms);
      }
      if (deadline.aborted) throw tooLate();
      if (isTooSlow) {
        throw timeout("the body came too slowly while others were waiting; send it again");
      }
      return body.bytes;
    } catch (cause) {
      this.#keep(body.bytes);
      // Left to the garbage collector, they would stay for as long as there is memory.
      body.bytes.buffer.transfer(0);
      this.release();
      if (!(cause instanceof ApiError)) throw brokenOff(cause);
      // A body that is given up is not read any further.
      if (cause.code === "PAYLOAD_TOO_LARGE") stream.release();
      throw cause;
    } finally {
      clearInterval(watch);
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes = bytes.length;
    this.#beginning = bytes.slice(0, BEGINNING_BYTES);
  }

  #hold(giveBack: (() => void) | undefined): void {
    if (giveBack === undefined) {
      throw timeout(
        "other large bodies came first, and this one was not read in time; send it again",
      );
    }
    this.release();
    this.#giveBack = giveBack;
  }
}

/** Runs something that ends with REQUEST_TIMEOUT once so many milliseconds have passed. */
export async function inTime<Result>(
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

/** The error for a body of more bytes than the limit. */
export function tooLarge(limit: number): ApiError {
  const size = limit >= MIB ? `${limit / MIB} MiB` : `${limit / KIB} KiB`;
  return new ApiError("PAYLOAD_TOO_LARGE", `the body is larger than ${size}`);
}

async function readAtOnce(
  request: Request,
  deadline: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const late = Promise.withResolvers<never>();
  deadline.addEventListener("abort", () => late.reject(tooLate()), { once: true });
  try {
    return await Promise.race([request.bytes(), late.promise]);
  } catch (cause) {
    throw cause instanceof ApiError ? cause : brokenOff(cause);
  }
}

function brokenOff(cause: unknown): ApiError {
  return new ApiError("BAD_REQUEST", "the body could not be read to its end", { cause });
}

function tooLate(): ApiError {
  return timeout(`the body did not arrive within ${BODY_WITHIN_MS / 1_000} s`);
}

function timeout(message: string): ApiError {
  return new ApiError("REQUEST_TIMEOUT", message);
}
