/** The byte limits of a budget: overall, for one sender, and for all unknown senders. */
export interface ByteLimits {
  /** For all bodies together. */
  all: number;
  /** For the bodies of one known sender. */
  sender: number;
  /** For the bodies of all unknown senders. */
  unknown: number;
  /**
   * A known sender's body of at most this size does not count toward the sender's share, so that a lead does not wait
   * for large, possibly stalled bodies of its own vendor.
   */
  small: number;
}

/** A body that takes bytes from a budget. */
export interface Holder {
  /** The sender of the body; undefined for an unknown sender. */
  sender: string | undefined;
  /** The maximum size of the complete body, in bytes. */
  complete: number;
  /** Ends the body because it is slow and others wait. Its bytes have already been returned. */
  giveUp(): void;
}

/** A body that others wait for must receive this part of its bytes in this many milliseconds. */
const PACE = { part: 1 / 8, ms: 2_000 };

/**
 * The bytes that arriving bodies may hold in memory, overall and by sender.
 *
 * A body gets its next bytes if all its missing bytes would fit. They are not reserved for it: a sender that announces
 * much and sends nothing holds nothing. Bodies therefore never deadlock: the last body that got bytes can be completed
 * with the free bytes, and then returns all of them.
 */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #shares = new Set<Share>();
  /** The waiting shares, the oldest first. */
  readonly #waiting = new Map<Share, () => void>();
  /** Bytes in use by sender; unknown senders are counted under undefined. */
  readonly #usedBy = new Map<string | undefined, number>();
  #used = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  get used(): number {
    return this.#used;
  }

  /** Registers a body, which has no bytes yet. */
  open(holder: Holder): Share {
    const share = new Share(holder, this);
    this.#shares.add(share);
    return share;
  }

  /** Returns whether all missing bytes of a body are free. */
  fits({ holder, lacks }: Share): boolean {
    return lacks <= this.#limits.all - this.#used && (this.#isSmall(holder) || this.#fitsSender(holder.sender, lacks));
  }

  /** Adds to, or subtracts from, the bytes in use by a body. */
  count({ holder }: Share, bytes: number): void {
    if (!this.#isSmall(holder)) this.#countSender(holder.sender, bytes);
    this.#used += bytes;
    if (bytes < 0) this.#startWaiting();
  }

  /** Queues a body; `start` is called when it {@link fits}. */
  wait(share: Share, start: () => void): void {
    this.#waiting.set(share, start);
    this.#watch ??= setInterval(() => this.#giveUpSlow(), PACE.ms);
  }

  /** Removes a body from the queue. */
  stopWaiting(share: Share): void {
    this.#waiting.delete(share);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
    for (const each of this.#shares) each.watched = undefined;
  }

  /** Removes a body. */
  close(share: Share): void {
    this.#shares.delete(share);
  }

  #isSmall({ sender, complete }: Holder): boolean {
    return sender !== undefined && complete <= this.#limits.small;
  }

  #countSender(sender: string | undefined, bytes: number): void {
    const used = (this.#usedBy.get(sender) ?? 0) + bytes;
    if (used === 0) this.#usedBy.delete(sender);
    else this.#usedBy.set(sender, used);
  }

  #fitsSender(sender: string | undefined, bytes: number): boolean {
    const limit = sender === undefined ? this.#limits.unknown : this.#limits.sender;
    return bytes <= limit - (this.#usedBy.get(sender) ?? 0);
  }

  #startWaiting(): void {
    for (const [share, start] of this.#waiting) {
      if (!this.fits(share)) continue;
      this.stopWaiting(share);
      start();
    }
  }

  /** Gives up the bodies that arrive too slowly while others wait for their bytes. */
  #giveUpSlow(): void {
    for (const share of this.#shares) {
      const { watched, arrived, isComplete, holder } = share;
      share.watched = arrived;
      if (watched === undefined || isComplete || this.#waiting.has(share)) continue;
      if (arrived - watched >= holder.complete * PACE.part || !this.#isWaitedFor(share)) continue;
      share.release();
      holder.giveUp();
    }
  }

  /** Returns whether another body waits for the bytes of this one. Bodies of one known sender do not affect others. */
  #isWaitedFor({ holder: { sender } }: Share): boolean {
    return this.#waiting.keys().some((other) => {
      if (other.holder.sender !== sender) return other.lacks > this.#limits.all - this.#used;
      return sender === undefined && !this.fits(other);
    });
  }
}

/** One body's share of a budget. */
export class Share {
  readonly holder: Holder;
  /** The bytes that have arrived, to measure the pace. */
  arrived = 0;
  /** Whether all bytes have arrived; the body is then no longer slow. */
  isComplete = false;
  /** The number of bytes at the last check of the pace; undefined if the pace has not been checked. */
  watched: number | undefined;
  readonly #budget: ByteBudget;
  #bytes = 0;

  constructor(holder: Holder, budget: ByteBudget) {
    this.holder = holder;
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes that are missing to complete the body. */
  get lacks(): number {
    return Math.max(this.holder.complete - this.#bytes, 0);
  }

  /**
   * Takes bytes until the body holds this many, immediately if they are free.
   *
   * @returns undefined if the body has the bytes; otherwise a promise of whether it got them before the deadline
   */
  growTo(bytes: number, deadline: AbortSignal): Promise<boolean> | undefined {
    const budget = this.#budget;
    if (budget.fits(this)) return this.#grow(bytes);
    if (deadline.aborted) return Promise.resolve(false);
    return new Promise((resolve) => {
      const giveUp = () => {
        budget.stopWaiting(this);
        resolve(false);
      };
      deadline.addEventListener("abort", giveUp, { once: true });
      budget.wait(this, () => {
        deadline.removeEventListener("abort", giveUp);
        this.watched = undefined;
        this.#grow(bytes);
        resolve(true);
      });
    });
  }

  /** Returns all bytes. Repeated calls have no effect. */
  release(): void {
    this.#budget.close(this);
    const bytes = this.#bytes;
    this.#bytes = 0;
    if (bytes > 0) this.#budget.count(this, -bytes);
  }

  #grow(to: number): undefined {
    this.#budget.count(this, to - this.#bytes);
    this.#bytes = to;
  }
}
