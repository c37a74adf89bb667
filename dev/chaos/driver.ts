import { setTimeout as delay } from "node:timers/promises";
import { Connection } from "../../e2e/support/connection.ts";
import type { Random } from "./random.ts";
import type { Message, Reply, Told, TrafficRequest } from "./request.ts";

/** What became of sending a request once. */
export interface Attempt {
  /** HTTP status; null where no response came. */
  status: number | null;
  /** Milliseconds until the response came, or the connection was closed. */
  ms: number;
}

/** A request of the traffic, and what became of it. */
export interface Sent {
  request: TrafficRequest;
  /** Which fault there was while it was first under way; null for none. */
  fault: number | null;
  attempts: Attempt[];
  /**
   * `done`: a response said that its rows are stored. `unknown`: nothing says whether they are, and sending it again
   * could store them twice. `wrong`: the response is none that this request may get. `failed`: it failed each time.
   */
  outcome: "done" | "unknown" | "wrong" | "failed";
  told: Told[];
  /** The response that was wrong. */
  wrong?: Reply;
  /** Whether a response was 200 `error`, which a text may get. */
  gotError: boolean;
}

/** How the callers break off while they send. */
export type HangUp = "in the body" | "before the response";

export interface DriverOptions {
  /** Where the requests go in turns. A request that comes again meets the next one. */
  gateways: string[];
  /** Requests a second. */
  rate: number;
  /** With so many requests under way no further one is sent, because the machine does not keep up. */
  mostUnderWay: number;
  random: Random;
  /** Gets each request once it is known what became of it. */
  onDone(sent: Sent): void;
}

/** A request may meet a fault each time it is sent. */
const MAX_ATTEMPTS = 6;
/** How long a caller waits before it sends a request for the third time. */
const FIRST_PAUSE_MS = 2_000;
/** A caller hangs up after this time. */
const PATIENCE_MS = 90_000;
/** After these statuses a caller sends the request again. */
const SEND_AGAIN = [409, 500, 502, 503];

/**
 * Sends traffic at a steady rate, whatever becomes of the requests before (an open loop). A request that fails is sent
 * again once there is no fault any more.
 */
export class Driver {
  /** How many requests have been sent, each counted once. */
  count = 0;
  /** The fault there is now. */
  fault: number | null = null;
  /** The share of the requests whose callers hang up. */
  hangUps = 0;
  readonly #options: DriverOptions;
  readonly #underWay = new Set<Promise<void>>();
  #nextRepeatAt = 0;
  #noteEnd = () => {};

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  /**
   * Sends requests until this many are sent and `isOver` says that it is enough, and waits until the last of them is
   * done.
   */
  async run(next: () => TrafficRequest, count: number, isOver: () => boolean): Promise<void> {
    const { rate, mostUnderWay } = this.#options;
    let due = performance.now();
    for (let n = 0; n < count || !isOver(); n++) {
      due += 1_000 / rate;
      const early = due - performance.now();
      if (early > 0) await delay(early);
      while (this.#underWay.size >= mostUnderWay) {
        await this.#nextEnd();
        due = performance.now();
      }
      this.#begin(next());
    }
    while (this.#underWay.size > 0) await this.#nextEnd();
  }

  #nextEnd(): Promise<void> {
    return new Promise((resolve) => this.#noteEnd = resolve);
  }

  /** How many requests have no success yet. */
  get underWay(): number {
    return this.#underWay.size;
  }

  #begin(request: TrafficRequest): void {
    const sent: Sent = {
      request,
      fault: this.fault,
      attempts: [],
      outcome: "failed",
      told: [],
      gotError: false,
    };
    this.count++;
    const work: Promise<void> = this.#deliver(sent).then(() => {
      this.#underWay.delete(work);
      this.#options.onDone(sent);
      this.#noteEnd();
    });
    this.#underWay.add(work);
  }

  async #deliver(sent: Sent): Promise<void> {
    const { request, attempts } = sent;
    const { gateways } = this.#options;
    const first = this.count;
    const hangUp = this.#hangUp(request);
    while (attempts.length < MAX_ATTEMPTS) {
      const startedAt = performance.now();
      const gateway = gateways[(first + attempts.length) % gateways.length]!;
      const reply = await post(gateway, request.make(), attempts.length === 0 ? hangUp : undefined);
      const ms = performance.now() - startedAt;
      if (attempts.length === 0) sent.fault ??= this.fault;
      attempts.push({ status: reply?.status ?? null, ms });

      if (reply !== null && !SEND_AGAIN.includes(reply.status)) {
        const read = request.read(reply);
        if (read === undefined) {
          sent.outcome = "wrong";
          sent.wrong = reply;
          return;
        }
        if (read !== "again") {
          sent.outcome = "done";
          sent.told = read;
          return;
        }
        sent.gotError = true;
      }
      if (request.isUnrecognizable && !maySendAgain(reply)) {
        sent.outcome = "unknown";
        return;
      }
      await this.#turnToRepeat(attempts.length);
    }
  }

  #hangUp(request: TrafficRequest): HangUp | undefined {
    const { random } = this.#options;
    if (request.isUnrecognizable || !random.happens(this.hangUps)) return undefined;
    return random.pick(["in the body", "before the response"]);
  }

  /**
   * Waits until there is no fault, and lets the requests that failed go on at the rate of the others. From the second
   * time on a caller waits twice as long as before, as whoever sends again should.
   */
  async #turnToRepeat(attempts: number): Promise<void> {
    if (attempts > 1) await delay(FIRST_PAUSE_MS * 2 ** (attempts - 2));
    do {
      while (this.fault !== null) await delay(50);
      const at = Math.max(this.#nextRepeatAt, performance.now());
      this.#nextRepeatAt = at + 1_000 / this.#options.rate;
      await delay(Math.max(at - performance.now(), 0));
    } while (this.fault !== null);
  }
}

/** Whether the response itself says that sending the request again does no harm. */
function maySendAgain(reply: Reply | null): boolean {
  return /send the same request again/.test(reply?.body?.error?.message ?? "");
}

/**
 * Sends a request on a connection of its own. Returns null when no response comes. Nothing is ever sent twice by
 * itself.
 */
async function post(
  gateway: string,
  { path, headers, body }: Message,
  hangUp: HangUp | undefined,
): Promise<Reply | null> {
  let connection: Connection | undefined;
  const patience = setTimeout(() => connection?.close(), PATIENCE_MS);
  try {
    const length = new TextEncoder().encode(body).length;
    const framed = { ...headers, "content-length": String(length) };
    connection = await Connection.post(path, framed, gateway);
    await connection.send(hangUp === "in the body" ? body.slice(0, body.length / 2) : body);
    if (hangUp !== undefined) return null;
    const response = await connection.anyResponse();
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  } finally {
    clearTimeout(patience);
    try {
      connection?.close();
    } catch {
      // It was closed by the time limit.
    }
  }
}
