import { setTimeout as delay } from "node:timers/promises";
import { sql } from "../../e2e/support/client.ts";
import { takeAccount } from "./account.ts";
import { Driver, type Sent } from "./driver.ts";
import { type Fault, FAULTS, recovery } from "./faults.ts";
import { Random } from "../testing/random.ts";
import type { Finding, Report } from "./report.ts";
import { Traffic } from "./traffic.ts";
import { createWorld } from "./world.ts";

export interface ChaosOptions {
  /** The URLs of the gateways, each with functions of its own. The requests go to them in turns. */
  gateways: string[];
  /** The least number of requests. They go on until the last fault is over. */
  requests: number;
  /** The number of faults. */
  faults: number;
  /** The names of the faults to choose from; all of them unless given. */
  only?: string[];
  /** Requests a second. */
  rate: number;
  /** About how many seconds a fault takes that ends by itself. */
  seconds: number;
  /** The same seed makes the same requests and faults in the same order. */
  seed: number;
  /** Is told how far it is. */
  say(line: string): void;
}

/** Between two faults, so that requests are sent again. Also, the launcher gives up a part that ends too often. */
const CALM_MS = 1_500;
/** Within this time, what is put right after a response is right. */
const SETTLE_MS = 60_000;

/** Sends traffic to the stack while one fault follows another, and takes account of every request. */
export async function runChaos(options: ChaosOptions): Promise<Report> {
  const { gateways, requests, rate, seed, say } = options;
  const random = new Random(seed);
  const faults = chooseFaults(options, random);
  const world = await createWorld(requests);
  const sent: Sent[] = [];
  const driver = new Driver({
    gateways,
    rate,
    // Random numbers of its own, because how many it takes depends on the responses.
    random: new Random(seed + 1),
    onDone: (one) => sent.push(one),
  });
  const traffic = new Traffic(random, world);

  let done = 0;
  const making = (async () => {
    for (const [index, fault] of faults.entries()) {
      const due = (requests * (index + 0.5)) / faults.length;
      while (driver.count < due) await delay(20);
      driver.fault = index;
      await fault.run(options.seconds);
      await recovery(gateways);
      driver.fault = null;
      done = index + 1;
      say(`${done} of ${faults.length}: ${fault.name}; ${driver.count} requests sent`);
      await delay(CALM_MS);
    }
  })();
  await Promise.all([making, driver.run(() => traffic.next(), requests, () => done === faults.length)]);

  say("The faults are over. Taking account");
  // Every request has ended, so nobody needs to wait until it counts as dead.
  await sql`update private.resume_uploads set begun_at = begun_at - interval '1 minute'`;
  const findings = await settledFindings(async () => {
    // The next request looks after the leads and files that a dead one has left pending or in storage.
    await driver.run(() => traffic.lead(), 1, () => true);
    return takeAccount(world, sent);
  });
  return { faults: faults.map(({ name }) => name), sent, findings };
}

/** The findings once everything has had its time: some of it is put right after a response. */
async function settledFindings(take: () => Promise<Finding[]>): Promise<Finding[]> {
  for (const deadline = Date.now() + SETTLE_MS;;) {
    const findings = await take();
    const maySettle = findings.some(({ kind }) => kind === "orphaned" || kind === "wrongly charged");
    if (!maySettle || Date.now() > deadline) return findings;
    await delay(500);
  }
}

function chooseFaults({ faults, only }: ChaosOptions, random: Random): Fault[] {
  const choice = FAULTS.filter(({ name }) => only === undefined || only.includes(name));
  if (choice.length === 0) {
    throw new Error(`No such fault. There are: ${FAULTS.map(({ name }) => name).join("; ")}`);
  }
  const rounds = Math.ceil(faults / choice.length);
  return Array.from({ length: rounds }, () => random.shuffle(choice)).flat().slice(0, faults);
}
