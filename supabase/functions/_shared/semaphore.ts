import { internalError } from "./errors.ts";

interface Waiting {
  permits: number;
  start(): void;
}

/** Limits the number of callers that proceed at a time. The others wait in the order in which they came. */
export class Semaphore {
  readonly #waitMs: number;
  #free: number;
  readonly #waiting = new Set<Waiting>();

  /**
   * @param permits the total number
   * @param waitMs how many milliseconds {@link run} waits for a permit
   */
  constructor({ permits, waitMs }: { permits: number; waitMs: number }) {
    this.#free = permits;
    this.#waitMs = waitMs;
  }

  /**
   * Waits for permits.
   *
   * @param signal ends the wait
   * @returns a function that returns the permits, at most once; undefined if the signal came first
   */
  acquire(
    signal: AbortSignal,
    { permits = 1 }: { permits?: number } = {},
  ): Promise<(() => void) | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting.delete(waiting);
        resolve(undefined);
        this.#startNext();
      };
      const start = () => {
        signal.removeEventListener("abort", giveUp);
        resolve(this.#begin(permits));
      };
      const waiting = { permits, start };
      this.#waiting.add(waiting);
      this.#startNext();
      if (this.#waiting.has(waiting)) signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /**
   * Runs a function while holding one permit.
   *
   * @throws ApiError INTERNAL_ERROR if there is no permit in time
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const release = await this.acquire(AbortSignal.timeout(this.#waitMs));
    if (release === undefined) throw internalError(new NoPermit());
    try {
      return await work();
    } finally {
      release();
    }
  }

  #begin(permits: number): () => void {
    this.#free -= permits;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#free += permits;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (const next of this.#waiting) {
      if (next.permits > this.#free) return;
      this.#waiting.delete(next);
      next.start();
    }
  }
}

/** The service was overloaded. The code is logged. */
export class NoPermit extends Error {
  override readonly name = "NoPermit";
  readonly code = "no permit in time";
}
