import type { Share } from "../byte_budget.ts";
import { ApiError } from "../errors.ts";
import type { Json } from "../json.ts";
import { SEMAPHORES } from "../semaphores.ts";
import { BODY_WITHIN_MS, DRAIN, KEPT_BYTES, SMALL_BYTES, tooLarge } from "./limits.ts";
import { BodyStream, GrowingBytes } from "./stream.ts";

/** The permits that a body takes if it must be processed alone. */
const ALONE = 2;

/** The received part of a body. */
export interface ReceivedBody {
  /** The size in bytes; the announced Content-Length if the body was not read to its end. */
  bytes: number;
  /** The first bytes, at most 256 KiB. */
  beginning: Uint8Array;
  /** The JSON value, if the body has been parsed. */
  value: Json | undefined;
}

/**
 * The body of one request, read within bounds of size, time and memory. The app calls {@link finish} and {@link
 * release} once the response is known.
 */
export class IncomingBody {
  readonly headers: Headers;
  /** The size in bytes that the sender announces; 0 if it announces none. */
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

  get received(): ReceivedBody {
    const bytes = Math.max(this.#bytes, this.announced);
    return { bytes, beginning: this.#beginning, value: this.value };
  }

  /**
   * The media type, in lower case and without parameters; empty if there is none.
   *
   * @throws ApiError UNSUPPORTED_MEDIA_TYPE if the body is compressed.
   */
  get mediaType(): string {
    const encoding = this.headers.get("content-encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding");
    }
    const type = this.headers.get("content-type") ?? "";
    return (type.split(";", 1)[0] as string).trim().toLowerCase();
  }

  /** Whether the body announces a small size, and is therefore read in one call. */
  get isSmall(): boolean {
    return this.announced > 0 && this.announced <= SMALL_BYTES;
  }

  /**
   * Runs a function that reads the body, and ends it with REQUEST_TIMEOUT after `within` milliseconds. On failure, the
   * body returns the memory and permits that it holds.
   */
  async inTime<Result>(within: number, run: (end: AbortController) => Promise<Result>): Promise<Result> {
    const end = new AbortController();
    const timer = setTimeout(() => {
      end.abort(timeout(`the body did not arrive within ${BODY_WITHIN_MS / 1_000} s`));
    }, within);
    try {
      return await run(end);
    } catch (error) {
      this.release();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * Reads the bytes. They count toward the isolate's memory for arriving bodies until {@link startWork} or {@link
   * release}. The body waits while there is not enough memory for the rest of it.
   *
   * @param limit the maximum number of bytes, whatever the Content-Length
   * @param sender the sender's key; undefined for an unknown sender
   * @param end aborts the reading; its reason is an ApiError
   * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, or BAD_REQUEST if the body is truncated or arrives in tiny
   * pieces.
   */
  async read(
    limit: number,
    sender: string | undefined,
    end: AbortController,
  ): Promise<Uint8Array<ArrayBuffer>> {
    if (this.announced > limit) throw tooLarge(limit);
    const share = SEMAPHORES.bodyBytes.open({
      sender,
      complete: this.announced || limit,
      giveUp: () => end.abort(timeout("the body came too slowly while others were waiting; send it again")),
    });
    this.#giveBack = () => share.release();
    const bytes = this.isSmall
      ? await this.#readAtOnce(share, end.signal)
      : await this.#readPieces(limit, share, end.signal);
    share.isComplete = true;
    this.#keep(bytes);
    if (bytes.length > limit) throw tooLarge(limit);
    return bytes;
  }

  /**
   * Waits until a large body may be processed, and returns its share of the memory for arriving bodies.
   *
   * @param isLarge whether the body must wait
   * @param alone whether the work takes so much memory that no other large body may be processed at the same time
   * @throws ApiError REQUEST_TIMEOUT if the deadline passes first.
   */
  async startWork(isLarge: boolean, alone: boolean, deadline: AbortSignal): Promise<void> {
    if (!isLarge) return this.release();
    const giveBack = await SEMAPHORES.largeBodies.acquire(deadline, { permits: alone ? ALONE : 1 });
    if (giveBack === undefined) throw othersFirst();
    this.release();
    this.#giveBack = giveBack;
  }

  /** Makes room for other large bodies. */
  release(): void {
    const giveBack = this.#giveBack;
    this.#giveBack = undefined;
    giveBack?.();
  }

  /**
   * Reads and discards the rest of the body when the response is known, up to a bound. Never throws.
   *
   * @param keep whether {@link received} must contain the beginning of a body that was refused unread
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
        if (keep) beginning.append(piece.subarray(0, KEPT_BYTES - beginning.size));
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

  async #readAtOnce(share: Share, end: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    await getRoom(share, this.announced, end);
    this.#isRead = true;
    const ended = Promise.withResolvers<never>();
    end.addEventListener("abort", () => ended.reject(end.reason), { once: true });
    try {
      return await Promise.race([this.#request.bytes(), ended.promise]);
    } catch (cause) {
      throw cause instanceof ApiError ? cause : brokenOff(cause);
    }
  }

  async #readPieces(limit: number, share: Share, end: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#request.body === null) return new Uint8Array();
    const stream = new BodyStream(this.#request.body);
    end.addEventListener("abort", () => stream.cancel(), { once: true });
    const body = new GrowingBytes();
    try {
      for await (const piece of stream) {
        share.arrived += piece.length;
        if (share.arrived > limit) throw tooLarge(limit);
        const room = body.roomFor(piece.length, share.holder.complete);
        if (room > share.bytes) await getRoom(share, room, end);
        body.makeRoom(room);
        body.append(piece);
      }
      if (end.aborted) throw end.reason;
      return body.bytes;
    } catch (cause) {
      this.#keep(body.bytes);
      // The garbage collector would not free the bytes until memory runs short.
      body.bytes.buffer.transfer(0);
      if (!(cause instanceof ApiError)) throw brokenOff(cause);
      // A body that is given up is not read any further.
      if (cause.code === "PAYLOAD_TOO_LARGE") stream.release();
      else stream.cancel();
      throw cause;
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#bytes = bytes.length;
    this.#beginning = bytes.slice(0, KEPT_BYTES);
  }
}

/** Waits until a share has this many bytes. */
async function getRoom(share: Share, bytes: number, end: AbortSignal): Promise<void> {
  const waiting = share.growTo(bytes, end);
  if (waiting !== undefined && !await waiting) throw othersFirst();
}

function brokenOff(cause: unknown): ApiError {
  return new ApiError("BAD_REQUEST", "the body could not be read to its end", { cause });
}

function othersFirst(): ApiError {
  return timeout("other large bodies came first, and this one was not read in time; send it again");
}

function timeout(message: string): ApiError {
  return new ApiError("REQUEST_TIMEOUT", message);
}
