import { ApiError } from "../errors.ts";
import { KIB } from "../units.ts";

/** Small until much comes at a time, because Deno 2.9 never frees what a read was given that has been cancelled. */
const VIEW = { first: 8 * KIB, then: 64 * KIB };

/**
 * A body may take so many reads, and one more for each KiB: to read a chunk of one byte costs as much as one of 64 KiB.
 * Reads whose bytes are there already do not wait, so nothing else runs meanwhile, not even a timer.
 */
const FREE_READS = 1_000;
const BYTES_FOR_A_READ = KIB;

/** A body that is read piece by piece, and given up where the pieces are tiny. */
export class BodyStream {
  readonly #reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array>;
  #view = new Uint8Array(VIEW.first);

  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.#reader = readerOf(stream);
  }

  /**
   * The pieces, each valid until the next is asked for. They end where the body was cancelled, too.
   *
   * @throws ApiError BAD_REQUEST where there are too many; what the stream throws when the sender has hung up
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    let [reads, bytes] = [0, 0];
    for (let piece; (piece = await this.#read()) !== undefined;) {
      bytes += piece.length;
      if (++reads > FREE_READS + bytes / BYTES_FOR_A_READ) throw tooManyPieces();
      yield piece;
    }
  }

  /** Ends the reading, also one that is waiting. Never throws. */
  cancel(): void {
    this.#reader.cancel().catch(() => {});
  }

  /** Lets somebody else read on. */
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

/** Bytes that are put together, in one buffer that grows. */
export class GrowingBytes {
  #buffer = new Uint8Array();
  #size = 0;

  /** The number of bytes. */
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
   * For how many bytes in all there is to be room, with so many more: at most twice as many as there are.
   *
   * @param complete how many there will be; no more room is needed then
   */
  roomFor(more: number, complete = Infinity): number {
    const needed = this.#size + more;
    if (needed <= this.#buffer.length) return this.#buffer.length;
    return Math.max(needed, Math.min(2 * this.#buffer.length, complete));
  }

  /** Makes room for so many bytes in all. */
  makeRoom(bytes: number): void {
    if (bytes <= this.#buffer.length) return;
    this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(bytes));
  }
}

// The body of a request that came over HTTP is a byte stream, which reads into the buffer it is given. In pieces of its
// own choice, each holds on to 64 KiB. Other streams have no such reader.
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
