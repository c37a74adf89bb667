import { Turns } from "./turns.ts";

const KIB = 1024;

/** Room for the bodies of all strangers together, in bytes. What is large has its turn besides, once its sender is known. */
const room = new Turns(32 * 1024 * KIB);

/** A body gets room when so much of it has come. */
const SMALL = 64 * KIB;

/** A body that brings less than this in this time is too slow to hold room that others wait for. */
const TOO_SLOW = { bytes: 128 * KIB, ms: 500 };

/**
 * The room of one body whose sender is not known before all of it has been read. Strangers share it among themselves, so
 * they never hold up known senders. One who sends slowly, to keep the room from others, is given up when others wait.
 */
export class StrangersRoom {
  readonly #bytes: number;
  readonly #tooSlow = new AbortController();
  #size = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  #end: (() => void) | undefined;

  /** @param bytes how large the body may become */
  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Aborted when the body has come too slowly while others waited. */
  get tooSlow(): AbortSignal {
    return this.#tooSlow.signal;
  }

  /**
   * Waits for room when a body is no longer small.
   *
   * @param size how many bytes have come so far
   * @param deadline ends the waiting
   * @returns false when there was no room in time
   */
  async take(size: number, deadline: AbortSignal): Promise<boolean> {
    this.#size = size;
    if (size < SMALL || this.#end !== undefined) return true;
    this.#end = await room.take(deadline, this.#bytes);
    if (this.#end === undefined) return false;
    let before = size;
    this.#watch = setInterval(() => {
      if (room.isWaitedFor && this.#size - before < TOO_SLOW.bytes) this.#tooSlow.abort();
      before = this.#size;
    }, TOO_SLOW.ms);
    return true;
  }

  /** The body has come to its end, or is not read any further. It still has its room. */
  arrived(): void {
    clearInterval(this.#watch);
  }

  /** Gives the room to others. */
  release(): void {
    this.arrived();
    this.#end?.();
  }
}
