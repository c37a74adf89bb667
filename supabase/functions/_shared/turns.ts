/** Lets a few do something at a time; the others wait, in the order in which they came. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  /** @param count how many at a time */
  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a turn.
   *
   * @param signal ends the waiting
   * @returns what to call when the turn is over; undefined when the signal came first
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    if (this.#free > 0) {
      this.#free--;
      return Promise.resolve(this.#begin());
    }
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting.delete(start);
        resolve(undefined);
      };
      const start = () => {
        signal.removeEventListener("abort", giveUp);
        resolve(this.#begin());
      };
      this.#waiting.add(start);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  #begin(): () => void {
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      const [next] = this.#waiting;
      if (next === undefined) this.#free++;
      else {
        this.#waiting.delete(next);
        next();
      }
    };
  }
}
