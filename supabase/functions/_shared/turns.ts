import { internalError } from "./errors.ts";

/** What a turn is taken for. */
export interface TurnOptions {
  /** How much of the count it takes. */
  share?: number;
  /** Whose it is. The next is who has had none, or whose latest is longest ago. */
  sender?: string | undefined;
}

interface Waiting {
  share: number;
  sender: string | undefined;
  start(): void;
}

/**
 * Lets a few do something at a time. The others wait in the order in which they came, but of the senders the one whose
 * latest turn is longest ago comes first: nobody waits for all that another has sent.
 */
export class Turns {
  #free: number;
  #begun = 0;
  /** Of each sender, the number of its latest turn. */
  readonly #latest = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  /** @param count how many at a time, or how many shares there are where turns have a share */
  constructor(count: number) {
    this.#free = count;
  }

  /** Whether anybody waits for a turn, besides this sender. */
  isWaitedFor(besides?: string): boolean {
    return this.#waiting.values().some(({ sender }) => sender === undefined || sender !== besides);
  }

  /**
   * Waits for a turn.
   *
   * @param signal ends the waiting
   * @returns what to call when the turn is over; undefined when the signal came first
   */
  take(
    signal: AbortSignal,
    { share = 1, sender }: TurnOptions = {},
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
        resolve(this.#begin(share, sender));
      };
      const waiting = { share, sender, start };
      this.#waiting.add(waiting);
      this.#startNext();
      if (this.#waiting.has(waiting)) signal.addEventListener("abort", giveUp, { once: true });
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

  #begin(share: number, sender: string | undefined): () => void {
    this.#free -= share;
    if (sender !== undefined) this.#latest.set(sender, ++this.#begun);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#free += share;
      this.#startNext();
    };
  }

  #startNext(): void {
    for (;;) {
      const next = this.#next();
      if (next === undefined || next.share > this.#free) return;
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
export class NoTurn extends Error {
  override readonly name = "NoTurn";
  readonly code = "no turn in time";
}
