/** The bytes of a budget: in all, for one sender, and for all unknown senders. */
export interface ByteLimits {
  /** Of all bodies together. */
  all: number;
  /** Of the bodies of one known sender. */
  sender: number;
  /** Of the bodies of all unknown senders. */
  unknown: number;
  /**
   * A known sender's body of no more bytes takes nothing of the sender's share. So a lead does not wait for large
   * bodies of its own vendor, which may stop half way.
   */
  small: number;
}

/** A body that takes bytes of a budget. */
export interface Holder {
  /** The sender of the body; undefined for an unknown sender. */
  sender: string | undefined;
  /** The bytes of the complete body, at most. */
  complete: number;
  /** Ends the body, because it comes slowly and others wait. Its bytes are given back already. */
  giveUp(): void;
}

/** A body that others wait for must bring this part of its bytes in so many milliseconds. */
const PACE = { part: 1 / 8, ms: 2_000 };

/**
 * The bytes that arriving bodies may hold in memory, together and by sender.
 *
 * A body gets its next bytes while all bytes that it still lacks would fit. They are not kept for it: a sender who
 * announces much and sends nothing holds nothing. So bodies never wait for each other in a circle: the last one that
 * got bytes can be completed with what is free, and gives back all that it has.
 */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #shares = new Set<Share>();
  /** Those that wait, the oldest first. */
  readonly #waiting = new Map<Share, () => void>();
  /** Bytes in use by sender; those of unknown senders under undefined. */
  readonly #usedBy = new Map<string | undefined, number>();
  #used = 0;
  #watch: ReturnType<typeof setInterval> | undefined;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** The bytes in use. */
  get used(): number {
    return this.#used;
  }

  /** Begins a body, which has no bytes yet. */
  open(holder: Holder): Share {
    const share = new Share(holder, this);
    this.#shares.add(share);
    return share;
  }

  /** Whether all bytes that a body lacks are free. */
  fits({ holder, lacks }: Share): boolean {
    return lacks <= this.#limits.all - this.#used && (this.#isSmall(holder) || this.#fitsSender(holder.sender, lacks));
  }

  /** Counts more bytes of a body, or fewer. */
  count({ holder }: Share, bytes: number): void {
    if (!this.#isSmall(holder)) this.#countSender(holder.sender, bytes);
    this.#used += bytes;
    if (bytes < 0) this.#startWaiting();
  }

  /** Lets a body wait; `start` is called when it {@link fits}. */
  wait(share: Share, start: () => void): void {
    this.#waiting.set(share, start);
    this.#watch ??= setInterval(() => this.#giveUpSlow(), PACE.ms);
  }

  /** Ends the waiting of a body. */
  stopWaiting(share: Share): void {
    this.#waiting.delete(share);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
    for (const each of this.#shares) each.watched = undefined;
  }

  /** Forgets a body. */
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

  /** Gives up the bodies that come too slowly while others wait for their bytes. */
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

  /** Whether another body waits for the bytes of this one. Those of one known sender wait without harm for others. */
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
  /** The bytes that have come, for the pace. */
  arrived = 0;
  /** Whether all have come: it is slow no more. */
  isComplete = false;
  /** The bytes that had come when the pace was last looked at; undefined: it is looked at from now on. */
  watched: number | undefined;
  readonly #budget: ByteBudget;
  #bytes = 0;

  constructor(holder: Holder, budget: ByteBudget) {
    this.holder = holder;
    this.#budget = budget;
  }

  /** The bytes that the body holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The bytes that it still needs to be complete. */
  get lacks(): number {
    return Math.max(this.holder.complete - this.#bytes, 0);
  }

  /**
   * Takes bytes until the body holds so many, at once where they are free.
   *
   * @returns undefined when it has them; else resolves when it has them (true), or when the deadline comes first
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

  /** Gives back all bytes, once, however often it is called. */
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
