import type { Share } from "../byte_budget.ts";
import { ApiError } from "../errors.ts";
import type { Json } from "../json.ts";
import { SEMAPHORES } from "../semaphores.ts";
import { BODY_WITHIN_MS, DRAIN, KEPT_BYTES, SMALL_BYTES, tooLarge } from "./limits.ts";
import { BodyStream, GrowingBytes } from "./stream.ts";

/** The permits of a large body that must be alone with its work. */
const ALONE = 2;

/** The part of a body that has been received. */
export interface ReceivedBody {
  /** Its bytes, by Content-Length where not all have been read. */
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
  /** The size of the body as the sender announces it, in bytes; 0 where it does not. */
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

  /** The part that has been received so far. */
  get received(): ReceivedBody {
    const bytes = Math.max(this.#bytes, this.announced);
    return { bytes, beginning: this.#beginning, value: this.value };
  }

  /**
   * Its media type, in lower case and without parameters; empty where it has none.
   *
   * @throws ApiError UNSUPPORTED_MEDIA_TYPE for a compressed body.
   */
  get mediaType(): string {
    const encoding = this.headers.get("content-encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding");
    }
    const type = this.headers.get("content-type") ?? "";
    return (type.split(";", 1)[0] as string).trim().toLowerCase();
  }

  /** Whether it is read at once: it says that it has few bytes. */
  get isSmall(): boolean {
    return this.announced > 0 && this.announced <= SMALL_BYTES;
  }

  /**
   * Runs what reads the body, and ends it with REQUEST_TIMEOUT once so many milliseconds have passed. When it fails,
   * the body has given back what it took.
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
   * Reads the bytes. They take room in the isolate's memory for bodies that arrive, until {@link startWork} or
   * {@link release}. A body waits while there is no room for the rest of it.
   *
   * @param limit how many there may be, whatever Content-Length says
   * @param sender who sends them; undefined for an unknown sender
   * @param end ends the reading, with an ApiError as its reason
   * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT, or BAD_REQUEST for a body that breaks off or comes in tiny
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
   * Waits until a large body may be worked on, and gives back what it has had of the memory for arriving bodies.
   *
   * @param isLarge only then it waits
   * @param alone whether the work takes so much memory that no other may be at work meanwhile
   * @throws ApiError REQUEST_TIMEOUT where the deadline comes first.
   */
  async startWork(isLarge: boolean, alone: boolean, deadline: AbortSignal): Promise<void> {
    if (!isLarge) return this.release();
    const giveBack = await SEMAPHORES.largeBodies.acquire(deadline, { permits: alone ? ALONE : 1 });
    if (giveBack === undefined) throw othersFirst();
    this.release();
    this.#giveBack = giveBack;
  }

  /** Lets other large bodies take the place of this one. */
  release(): void {
    const giveBack = this.#giveBack;
    this.#giveBack = undefined;
    giveBack?.();
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
      // Left to the garbage collector, they would stay for as long as there is memory.
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

/** Waits until a share has so many bytes. */
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
