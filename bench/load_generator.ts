/** The process behind {@link generateLoad}: takes a {@link Load} as its argument and prints a {@link LoadResult}. */
import process from "node:process";
import type { Load, LoadResult } from "./load.ts";

const load: Load = JSON.parse(Deno.args[0]!);

await send(load.warmUp);
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
await send(load.requests);
const elapsed = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
const result: LoadResult = {
  rate: load.requests / elapsed,
  generator: (user + system) / 1e6 / elapsed,
};
console.log(JSON.stringify(result));

async function send(count: number): Promise<void> {
  let left = count;
  await Promise.all(Array.from({ length: load.connections }, async () => {
    while (left-- > 0) await sendOne();
  }));
}

async function sendOne(): Promise<void> {
  const { url, body, status, followUp } = load;
  const id = crypto.randomUUID();
  let answer = await post(url, body.replaceAll("{id}", id), status);
  while (followUp && answer.includes(followUp.after)) {
    answer = await post(followUp.url, followUp.body.replaceAll("{id}", id), 200);
  }
}

async function post(url: string, body: string, status: number): Promise<string> {
  const response = await fetch(url, { method: "POST", headers: load.headers, body });
  const answer = await response.text();
  if (response.status !== status) throw new Error(`answered ${response.status}: ${answer}`);
  return answer;
}
