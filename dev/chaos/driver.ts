import { setTimeout as delay } from "node:timers/promises";
import type { Random } from "../testing/random.ts";
import type { Message, Reply, Told, TrafficRequest } from "./request.ts";

/** A request of the traffic, and what became of it. */
export interface Sent {
  request: TrafficRequest;
  /** The fault while it was first under way; null for none. */
  fault: number | null;
  /** The HTTP status of each time it was sent; null where no response came. */
  statuses: (number | null)[];
  /** Seconds until the first response came, or the connection was closed. */
  seconds: number;
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

export interface DriverOptions {
  /** Where the requests go in turns. A request that comes again meets the next one. */
  gateways: string[];
  /** Requests a second. */
  rate: number;
  random: Random;
  /** Gets each request once it is known what became of it. */
  onDone(sent: Sent): void;
}

/** With so many requests under way no further one is sent, because the machine does not keep up. */
const MOST_UNDER_WAY = 300;
/** A request may meet a fault each time it is sent. */
const MAX_ATTEMPTS = 6;
/** A caller hangs up after this time. */
const PATIENCE_MS = 90_000;
/** After these statuses a caller sends the request again. */
const SEND_AGAIN = [409, 500, 502, 503];

/** Each request gets a connection of its own: one that was kept may be closed, and fetch would send it twice. */
const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

/**
 * Sends traffic at a steady rate, whatever becomes of the requests before (an open loop). A request that fails is sent
 * again once there is no fault any more.
 */
export class Driver {
  /** The number of requests that have been sent, each counted once. */
  count = 0;
  /** The fault there is now. */
  fault: number | null = null;
  readonly #options: DriverOptions;
  readonly #underWay = new Set<Promise<void>>();

  constructor(options: DriverOptions) {
    this.#options = options;
  }

  /**
   * Sends requests until this many are sent and `isOver` says that it is enough, and waits until the last of them is
   * done.
   */
  async run(next: () => TrafficRequest, count: number, isOver: () => boolean): Promise<void> {
    let due = performance.now();
    for (let n = 0; n < count || !isOver(); n++) {
      due += 1_000 / this.#options.rate;
      await delay(Math.max(due - performance.now(), 0));
      while (this.#underWay.size >= MOST_UNDER_WAY) {
        await Promise.race(this.#underWay);
        due = performance.now();
      }
      const work: Promise<void> = this.#deliver(next()).then(() => {
        this.#underWay.delete(work);
      });
      this.#underWay.add(work);
    }
    await Promise.all(this.#underWay);
  }

  async #deliver(request: TrafficRequest): Promise<void> {
    const { gateways, random, onDone } = this.#options;
    const sent: Sent = {
      request,
      fault: this.fault,
      statuses: [],
      seconds: 0,
      outcome: "failed",
      told: [],
      gotError: false,
    };
    const { statuses } = sent;
    const first = this.count++;
    while (sent.outcome === "failed" && statuses.length < MAX_ATTEMPTS) {
      const startedAt = performance.now();
      const reply = await post(gateways[(first + statuses.length) % gateways.length]!, request);
      if (statuses.length === 0) {
        sent.fault ??= this.fault;
        sent.seconds = (performance.now() - startedAt) / 1_000;
      }
      statuses.push(reply?.status ?? null);
      read(sent, reply);
      if (sent.outcome !== "failed") break;
      // Longer each time and never all at once, as a caller that sends again should.
      await delay(random.next() * 2_000 * statuses.length);
      while (this.fault !== null) await delay(50);
    }
    onDone(sent);
  }
}

/** Takes from a response what has become of the request. */
function read(sent: Sent, reply: Reply | null): void {
  const { request } = sent;
  if (reply !== null && !SEND_AGAIN.includes(reply.status)) {
    const told = request.read(reply);
    if (told === undefined) {
      sent.outcome = "wrong";
      sent.wrong = reply;
    } else if (told === "again") {
      sent.gotError = true;
    } else {
      sent.outcome = "done";
      sent.told = told;
    }
  } else if (request.isUnrecognizable && !maySendAgain(reply)) {
    sent.outcome = "unknown";
  }
}

/** Whether the response itself says that sending the request again does no harm. */
function maySendAgain(reply: Reply | null): boolean {
  return /send the same request again/.test(reply?.body?.error?.message ?? "");
}

/** Sends a request. Returns null when no response comes. */
async function post(gateway: string, request: TrafficRequest): Promise<Reply | null> {
  const { path, headers, body }: Message = request.make();
  try {
    const response = await fetch(`${gateway}/functions/v1${path}`, {
      method: "POST",
      headers,
      body,
      client,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return { status: response.status, body: await response.json() };
  } catch {
    return null;
  }
}
