/** Room for what comes first. Thousands of senders may be connected who send next to nothing. */
const FIRST_ROOM = 4 * 1024;

/** Deno 2.9 puts the head of a chunk into the room that it is given, and waits for ever where it does not fit. */
const LEAST_ROOM = 1024;

/** From here on the sender is trusted with room for all that it has announced. */
const TRUSTED_FROM = 64 * 1024;

/**
 * A body that is read into one buffer of its own. A stream's chunks are not kept, as each holds on to the buffer that it
 * was read into: 64 KiB in Deno, even for a chunk of one byte.
 */
export class BodyStream {
  readonly #reader: ReadableStreamBYOBReader | ReadableStreamDefaultReader<Uint8Array>;
  readonly #announced: number;
  #buffer = new Uint8Array(FIRST_ROOM);
  #size = 0;

  /** @param announced how many bytes the sender says there are; 0 where it does not say */
  constructor(stream: ReadableStream<Uint8Array<ArrayBuffer>>, announced: number) {
    this.#reader = readerOf(stream);
    this.#announced = announced;
  }

  /** How many bytes have been read and not been forgotten. */
  get size(): number {
    return this.#size;
  }

  /** The bytes that have been read and not been forgotten; none when the body was cancelled or broke off. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size);
  }

  /**
   * Waits for more bytes.
   *
   * @returns false at the end, and when the body was cancelled
   * @throws what the stream throws when the sender has hung up
   */
  async read(): Promise<boolean> {
    if (this.#reader instanceof ReadableStreamBYOBReader) {
      this.#makeRoom(LEAST_ROOM);
      const room = this.#buffer.subarray(this.#size);
      // Reading takes the buffer away. It comes back in the value, unless the body is cancelled or breaks off.
      this.#buffer = new Uint8Array();
      const { value, done } = await this.#reader.read(room);
      if (value !== undefined) this.#buffer = new Uint8Array(value.buffer);
      this.#size += value?.length ?? 0;
      return !done;
    }
    const { value, done } = await this.#reader.read();
    if (done) return false;
    this.#makeRoom(value.length);
    this.#buffer.set(value, this.#size);
    this.#size += value.length;
    return true;
  }

  /** Forgets what has been read, and makes more room where there was little left. */
  forget(): void {
    const { length } = this.#buffer;
    if (length - this.#size < LEAST_ROOM && length < TRUSTED_FROM) {
      this.#buffer = new Uint8Array(2 * length);
    }
    this.#size = 0;
  }

  /** Ends the reading, also one that is waiting. Never throws. */
  cancel(): void {
    this.#reader.cancel().catch(() => {});
  }

  /** Lets somebody else read on. */
  release(): void {
    this.#reader.releaseLock();
  }

  #makeRoom(length: number): void {
    const needed = this.#size + length;
    if (needed <= this.#buffer.length) return;
    const announced = this.#size >= TRUSTED_FROM ? this.#announced + LEAST_ROOM : 0;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#buffer.length, announced));
    larger.set(this.bytes);
    this.#buffer = larger;
  }
}

// The body of a request that came over HTTP is a byte stream, which reads into the buffer it is given. Others are not.
function readerOf(stream: ReadableStream<Uint8Array<ArrayBuffer>>) {
  try {
    return stream.getReader({ mode: "byob" });
  } catch {
    return stream.getReader();
  }
}
