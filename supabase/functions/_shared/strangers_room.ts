import { Turns } from "./turns.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

/** Room for all strangers' bodies together, in bytes. Those of usual size do not wait for large ones. */
const ROOM_FOR_USUAL = new Turns(8 * MIB);
const ROOM_FOR_LARGE = new Turns(16 * MIB);
const USUAL = MIB;

/** Only a body of which so much has come needs room. */
const SMALL = 64 * KIB;

/** A body that falls behind this pace by more than so many milliseconds is too slow to hold room that others wait for. */
const PACE = 256 * KIB / 1_000;
const MOST_BEHIND_MS = 1_000;

/** How often the pace is looked at. When it took longer, this isolate was busy, and the sender is not to blame. */
const WATCH_MS = 100;

/**
 * The room of one body whose sender is not known before all of it has been read. Such bodies share it among themselves, so
 * strangers never hold up known senders. Who sends slowly, to keep the room from others, is given up when others wait.
 */
export class StrangersRoom {
  readonly #bytes: number;
  readonly #room: Turns;
  readonly #tooSlow = new AbortController();
  #size = 0;
  #watch: ReturnType<typeof setInterval> | undefined;
  #end: (() => void) | undefined;

  /** @param bytes how large the body may become */
  constructor(bytes: number) {
    this.#bytes = bytes;
    this.#room = bytes <= USUAL ? ROOM_FOR_USUAL : ROOM_FOR_LARGE;
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
    this.#end = await this.#room.take(deadline, this.#bytes);
    if (this.#end === undefined) return false;
    this.#watch = setInterval(this.#lookAtPace(), WATCH_MS);
    return true;
  }

  #lookAtPace(): () => void {
    let [size, time, behind] = [this.#size, performance.now(), 0];
    return () => {
      const elapsed = performance.now() - time;
      const counted = elapsed < 2 * WATCH_MS ? elapsed : 0;
      behind = Math.max(0, behind + counted - (this.#size - size) / PACE);
      [size, time] = [this.#size, time + elapsed];
      if (behind > MOST_BEHIND_MS && this.#room.isWaitedFor) this.#tooSlow.abort();
    };
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
