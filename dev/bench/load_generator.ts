/** The process behind {@link generateLoad}: takes a {@link Load} as its argument and prints a {@link LoadResult}. */
import process from "node:process";
import type { Load, LoadResult } from "./load.ts";

const load: Load = JSON.parse(Deno.args[0]!);

const before = await send(load.seconds / 10);
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
const measured = await send(load.seconds);
const elapsed = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
const result: LoadResult = {
  requests: before + measured,
  rate: measured / elapsed,
  generator: (user + system) / 1e6 / elapsed,
};
console.log(JSON.stringify(result));

/** Sends for so many seconds, and returns how many requests were answered. */
async function send(seconds: number): Promise<number> {
  const end = performance.now() + 1000 * seconds;
  let count = 0;
  await Promise.all(Array.from({ length: load.connections }, async (_, i) => {
    const url = load.urls[i % load.urls.length]!;
    for (; performance.now() < end; count++) {
      const id = load.ids?.[count % load.ids.length] ?? crypto.randomUUID();
      await sendOne(url, load.body.replaceAll("{id}", id));
    }
  }));
  return count;
}

async function sendOne(url: string, body: string): Promise<void> {
  const response = await fetch(url, { method: "POST", headers: load.headers, body });
  const answer = await response.text();
  if (response.status !== load.status) {
    throw new Error(`answered ${response.status}: ${answer}`);
  }
}
