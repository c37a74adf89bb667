import { internalError } from "./errors.ts";

/** Lets a few do something at a time; the others wait, in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<{ share: number; start(): void }>();

  /** @param count how many at a time, or how many shares there are where turns have a share */
  constructor(count: number) {
    this.#free = count;
  }

  /** Whether somebody waits for a turn. */
  get isWaitedFor(): boolean {
    return this.#waiting.size > 0;
  }

  /**
   * Waits for a turn.
   *
   * @param signal ends the waiting
   * @param share how much of the count the turn takes
   * @returns what to call when the turn is over; undefined when the signal came first
   */
  take(signal: AbortSignal, share = 1): Promise<(() => void) | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    if (!this.isWaitedFor && share <= this.#free) return Promise.resolve(this.#begin(share));
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting.delete(waiting);
        resolve(undefined);
        this.#startNext();
      };
      const start = () => {
        signal.removeEventListener("abort", giveUp);
        resolve(this.#begin(share));
      };
      const waiting = { share, start };
      this.#waiting.add(waiting);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /**
   * Runs something when it is its turn.
   *
   * @param within how many milliseconds it waits for its turn
   * @throws ApiError INTERNAL_ERROR when its turn has not come in time
   */
  async run<Result>(within: number, work: () => Promise<Result>): Promise<Result> {
    const end = await this.take(AbortSignal.timeout(within));
    if (end === undefined) throw internalError(new NoTurn());
    try {
      return await work();
    } finally {
      end();
    }
  }

  #begin(share: number): () => void {
    this.#free -= share;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#free += share;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (const next of this.#waiting) {
      if (next.share > this.#free) return;
      this.#waiting.delete(next);
      next.start();
    }
  }
}

/** There was more to do than could be done. The log shows the code. */
export class NoTurn extends Error {
  override readonly name = "NoTurn";
  readonly code = "no turn in time";
}
