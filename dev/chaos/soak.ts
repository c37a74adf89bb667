import { setTimeout as delay } from "node:timers/promises";
import { Driver, type Sent } from "./driver.ts";
import { Random } from "./random.ts";
import { FAILURES, isFailure, type Sample, Sampler } from "./samples.ts";
import { Traffic } from "./traffic.ts";
import { type Trend, trendOf } from "./trend.ts";
import { createWorld } from "./world.ts";

export { BY_CHECKPOINT } from "./samples.ts";

export interface SoakOptions {
  minutes: number;
  /** Requests a second; half of what the stack can do unless given. */
  rate?: number;
  /** The same seed makes the same requests in the same order. */
  seed: number;
  /** Is told how far it is. */
  say(line: string): void;
}

/** What a soak came to. */
export interface SoakReport {
  /** Requests a second that the stack can do. */
  capacity: number;
  /** Requests a second that were sent. */
  rate: number;
  /** How many requests were sent, and how many of them had no success at once. */
  requests: number;
  failures: number;
  /** Each figure by its name with its unit. */
  trends: Record<string, Trend>;
}

/** How the capacity is measured: with so many requests at a time. */
const CAPACITY = { connections: 16, warmUp: 500, requests: 3_000 };
const SAMPLES = 60;
/** Memory that a process may take more of without being taken for one that leaks. */
const NEGLIGIBLE_MIB = 1;
/** A guess at the requests, for the orders and messages that the traffic needs. */
const MOST_A_SECOND = 300;

/** Sends traffic at a steady rate for a long time, and measures whether anything grows with time. */
export async function runSoak({ minutes, rate, seed, say }: SoakOptions): Promise<SoakReport> {
  const random = new Random(seed);
  const traffic = new Traffic(random, await createWorld(minutes * 60 * MOST_A_SECOND));
  const capacity = await measureCapacity(traffic, random);
  const actualRate = rate ?? capacity / 2;
  say(
    `The stack can do ${capacity.toFixed(0)} requests a second; ${actualRate.toFixed(0)} are sent`,
  );

  const ended: Sent[] = [];
  const driver = new Driver({
    rate: actualRate,
    mostUnderWay: 1_000,
    random,
    onDone: (sent) => ended.push(sent),
  });
  const sampler = new Sampler();
  const samples: Sample[] = [];
  const interval = (minutes * 60) / SAMPLES;
  let isOver = false;
  const sampling = (async () => {
    await sampler.take([], interval);
    for (let due = performance.now(); samples.length < SAMPLES;) {
      due += interval * 1_000;
      await delay(Math.max(due - performance.now(), 0));
      const since = ended.splice(0);
      for (const { request: { route }, attempts } of since.filter(isFailure)) {
        say(`${route}: ${attempts.map(({ status }) => status ?? "no response").join(", ")}`);
      }
      samples.push(await sampler.take(since, interval));
      if (samples.length % (SAMPLES / 10) === 0) {
        say(`${samples.length * interval / 60} of ${minutes} minutes: ${driver.count} requests`);
      }
    }
    isOver = true;
  })();
  await Promise.all([sampling, driver.run(() => traffic.next(), 0, () => isOver)]);

  return {
    capacity,
    rate: actualRate,
    requests: driver.count,
    failures: samples.reduce((sum, sample) => sum + sample[FAILURES]!, 0),
    trends: Object.fromEntries(
      Object.keys(samples[0]!).map((name) => [
        name,
        trendOf(samples.map((one) => one[name]!), name.endsWith("MiB") ? NEGLIGIBLE_MIB : 0),
      ]),
    ),
  };
}

/** How many requests a second the stack can do when one follows the other. */
async function measureCapacity(traffic: Traffic, random: Random): Promise<number> {
  const { connections, warmUp, requests } = CAPACITY;
  const driver = new Driver({ rate: Infinity, mostUnderWay: connections, random, onDone() {} });
  await driver.run(() => traffic.next(), warmUp, () => true);
  const startedAt = performance.now();
  await driver.run(() => traffic.next(), requests, () => true);
  return (requests * 1_000) / (performance.now() - startedAt);
}
