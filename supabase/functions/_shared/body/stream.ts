import { ApiError } from "../errors.ts";
import { KIB } from "../units.ts";

/** The buffer stays small until much arrives at a time, because Deno 2.9 never frees the buffer of a cancelled read. */
const VIEW = { first: 8 * KIB, then: 64 * KIB };

/**
 * The number of reads that a body may take, plus one for each KiB: reading a chunk of one byte costs as much as one of
 * 64 KiB. Reads of bytes that have already arrived do not yield, so nothing else runs meanwhile, not even a timer.
 */
const FREE_READS = 1_000;
const BYTES_FOR_A_READ = KIB;

/** A body that is read piece by piece, and given up if the pieces are tiny. */
export class BodyStream {
  readonly #reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array>;
  #view = new Uint8Array(VIEW.first);

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = readerOf(stream);
  }

  /**
   * The pieces, each valid until the next is requested. The iteration also ends when the body is cancelled.
   *
   * @throws ApiError BAD_REQUEST if there are too many pieces; the stream's error if the sender hangs up
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    let [reads, bytes] = [0, 0];
    for (let piece; (piece = await this.#read()) !== undefined;) {
      bytes += piece.length;
      if (++reads > FREE_READS + bytes / BYTES_FOR_A_READ) throw tooManyPieces();
      yield piece;
    }
  }

  /** Cancels the reading, including a pending read. Never throws. */
  cancel(): void {
    this.#reader.cancel().catch(() => {});
  }

  /** Releases the stream to another reader. */
  release(): void {
    this.#reader.releaseLock();
  }

  async #read(): Promise<Uint8Array | undefined> {
    if (!(this.#reader instanceof ReadableStreamBYOBReader)) {
      return (await this.#reader.read()).value;
    }
    const { value, done } = await this.#reader.read(this.#view);
    if (done || value === undefined) return undefined;
    const isFull = value.length === VIEW.first && value.buffer.byteLength === VIEW.first;
    this.#view = isFull ? new Uint8Array(VIEW.then) : new Uint8Array(value.buffer);
    return value;
  }
}

/** Bytes collected in one growing buffer. */
export class GrowingBytes {
  #buffer = new Uint8Array();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The bytes, in the buffer itself. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size);
  }

  append(piece: Uint8Array): void {
    this.makeRoom(this.roomFor(piece.length));
    this.#buffer.set(piece, this.#size);
    this.#size += piece.length;
  }

  /**
   * Returns the capacity needed for `more` additional bytes: at most twice the current size.
   *
   * @param complete the final size, which the capacity never exceeds
   */
  roomFor(more: number, complete = Infinity): number {
    const needed = this.#size + more;
    if (needed <= this.#buffer.length) return this.#buffer.length;
    return Math.max(needed, Math.min(2 * this.#buffer.length, complete));
  }

  /** Grows the buffer to this capacity. */
  makeRoom(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(bytes));
  }
}

// The body of an HTTP request is a byte stream, which reads into the given buffer. If the stream chooses the pieces,
// each holds on to 64 KiB. Other streams have no such reader.
function readerOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return stream.getReader();
  }
}

function tooManyPieces(): ApiError {
  const message = "the body comes in too many small pieces; send it in larger ones";
  return new ApiError("BAD_REQUEST", message);
}
