import { internalError } from "./errors.ts";

/** What permits are wanted for. */
export interface PermitOptions {
  /** How many permits it takes. */
  permits?: number;
  /** Who wants them. The next is who has had none, or whose latest are longest ago. */
  sender?: string | undefined;
}

interface Waiting {
  permits: number;
  sender: string | undefined;
  start(): void;
}

/**
 * Lets a few do something at a time. The others wait in the order in which they came, but the sender whose latest
 * permits are longest ago comes first: nobody waits for all that another has sent.
 */
export class Semaphore {
  readonly #waitMs: number;
  #free: number;
  #begun = 0;
  /** The number of each sender's latest permits. */
  readonly #latest = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  /**
   * @param permits how many there are in all
   * @param waitMs how many milliseconds {@link run} waits for one
   */
  constructor({ permits, waitMs }: { permits: number; waitMs: number }) {
    this.#free = permits;
    this.#waitMs = waitMs;
  }

  /** Whether anybody waits, besides this sender. */
  isWaitedFor(besides?: string): boolean {
    return this.#waiting.values().some(({ sender }) => sender === undefined || sender !== besides);
  }

  /**
   * Waits for permits.
   *
   * @param signal ends the waiting
   * @returns what gives them back, once, however often it is called; undefined when the signal came first
   */
  acquire(
    signal: AbortSignal,
    { permits = 1, sender }: PermitOptions = {},
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
        resolve(this.#begin(permits, sender));
      };
      const waiting = { permits, sender, start };
      this.#waiting.add(waiting);
      this.#startNext();
      if (this.#waiting.has(waiting)) signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /**
   * Does some work with one permit.
   *
   * @throws ApiError INTERNAL_ERROR when the permit has not come in time
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

  #begin(permits: number, sender: string | undefined): () => void {
    this.#free -= permits;
    if (sender !== undefined) this.#latest.set(sender, ++this.#begun);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#free += permits;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.permits > this.#free) return;
      this.#waiting.delete(next);
      next.start();
    }
  }

  #next(): Waiting | undefined {
    const latest = ({ sender }: Waiting) => this.#latest.get(sender ?? "") ?? 0;
    let next: Waiting | undefined;
    for (const waiting of this.#waiting) {
      if (latest(waiting) === 0) return waiting;
      if (next === undefined || latest(waiting) < latest(next)) next = waiting;
    }
    return next;
  }
}

/** There was more to do than could be done. The log shows the code. */
export class NoPermit extends Error {
  override readonly name = "NoPermit";
  readonly code = "no permit in time";
}
