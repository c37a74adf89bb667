/** Sends requests from a process of its own, so that we see what sending them costs. */
import process from "node:process";
import { fileURLToPath } from "node:url";
import { PHONE } from "./leads.ts";
import { median, quantile } from "./measurement.ts";

/** One kind of requests. */
export interface Requests {
  /** Text of the body; every `{id}` in it becomes a UUID and {@link PHONE} a number, other ones for each request. */
  body: string;
  /** The UUIDs, over and over. New ones unless given. */
  ids?: string[];
  /** The status that every response has to have. */
  status: number;
}

/** The requests to send. */
export interface Load extends Requests {
  /** The connections are spread over them. */
  urls: string[];
  headers: Record<string, string>;
  /** Of every ten requests, the last ones are of these kinds, one each. */
  others?: Requests[];
  /** Requests under way at any time, each on a connection that is kept. */
  connections: number;
  /** The seconds of sending. A tenth of it is sent before, to open the connections, and is not measured. */
  seconds: number;
}

/** The responses and their times. */
export interface LoadResult {
  /** Requests with a response, those before the measurement included. */
  requests: number;
  /** Requests a second. */
  rate: number;
  /** Median time from sending a request to the end of its response, in milliseconds. */
  latency: number;
  /** The time that 99 of 100 responses do not exceed, in milliseconds. */
  p99: number;
  /** Share of one core that sending took. */
  generator: number;
}

/**
 * Sends requests for a while, from a process of its own.
 *
 * @throws {Error} when a response has another status
 */
export async function generateLoad(load: Load): Promise<LoadResult> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", fileURLToPath(import.meta.url), JSON.stringify(load)],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("the load generator failed");
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** The headers of a request with JSON. */
export function jsonHeaders(token: string): Record<string, string> {
  return { "authorization": `Bearer ${token}`, "content-type": "application/json" };
}

if (import.meta.main) console.log(JSON.stringify(await measure(JSON.parse(Deno.args[0]!))));

async function measure(load: Load): Promise<LoadResult> {
  const before = await send(load, load.seconds / 10);
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const latencies = await send(load, load.seconds);
  const elapsed = (performance.now() - startedAt) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    requests: before.length + latencies.length,
    rate: latencies.length / elapsed,
    latency: median(latencies),
    p99: quantile(latencies, 0.99),
    generator: (user + system) / 1e6 / elapsed,
  };
}

/** Sends for so many seconds, and returns the milliseconds that each response took. */
async function send(load: Load, seconds: number): Promise<number[]> {
  const end = performance.now() + 1000 * seconds;
  const latencies: number[] = [];
  let count = 0;
  await Promise.all(Array.from({ length: load.connections }, async (_, i) => {
    const url = load.urls[i % load.urls.length]!;
    while (performance.now() < end) {
      const place = count++;
      const { body, ids, status } = load.others?.[9 - place % 10] ?? load;
      const id = ids?.[place % ids.length] ?? crypto.randomUUID();
      const text = body.replaceAll("{id}", id).replaceAll(
        PHONE,
        `+1312${2_000_000 + Math.floor(8_000_000 * Math.random())}`,
      );
      const startedAt = performance.now();
      await sendOne(url, load.headers, text, status);
      latencies.push(performance.now() - startedAt);
    }
  }));
  return latencies;
}

async function sendOne(url: string, headers: Load["headers"], body: string, status: number): Promise<void> {
  const response = await fetch(url, { method: "POST", headers, body });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${url} responded ${response.status}: ${text}`);
}
