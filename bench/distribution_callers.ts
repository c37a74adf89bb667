/**
 * The process behind distribution_rates.ts: takes a {@link DistributionLoad} as its argument and prints a
 * {@link DistributionResult}.
 */
import process from "node:process";
import postgres from "postgres";
import type { DistributionLoad, DistributionResult } from "./distribution_rates.ts";

/** What `distribute_pending_leads` returns. */
type Distribution = { distribution: string };
type Distributions = Distribution & { others?: Record<string, Distribution> };

const load: DistributionLoad = JSON.parse(Deno.args[0]!);
const settings = {
  max: load.connections,
  // As with PostgREST, a call waits until a connection is free.
  max_pipeline: 0,
  // Whoever flushes waits first, and the commits that come meanwhile are flushed with it, as with a slow disk. As texts,
  // because the library leaves a zero out.
  connection: { commit_delay: `${1_000 * load.commitLatency}`, commit_siblings: "0" },
};
const sql = postgres(load.dbUrl, settings);

let stored = 0;
let storedPending = 0;
/** What to do when it is known where a lead went. */
const pending = new Map<string, () => void>();

await send((sent) => sent < load.warmUp);
const warmUp = { stored, storedPending };
const cpuBefore = process.cpuUsage();
const startedAt = performance.now();
await send(() => performance.now() - startedAt < load.duration);
const seconds = (performance.now() - startedAt) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
const result: DistributionResult = {
  rate: (stored - warmUp.stored) / seconds,
  pending: (storedPending - warmUp.storedPending) / (stored - warmUp.stored),
  generator: (user + system) / 1e6 / seconds,
  leads: stored,
};
console.log(JSON.stringify(result));
await sql.end();

/** Sends leads while it is to go on, and resolves when it is known where each of them went. */
async function send(goesOn: (sent: number) => boolean): Promise<void> {
  let sent = 0;
  await Promise.all(Array.from({ length: load.callers }, async () => {
    while (goesOn(sent++)) await sendOne();
  }));
}

async function sendOne(): Promise<void> {
  const id = crypto.randomUUID();
  const lead = sql.json({ ...load.lead, id, vendor_lead_id: id });
  const [row] = await sql<[{ result: { distribution?: string } }]>`
    select ingest_recruiting_lead(${load.keyHash}, ${lead}) as result`;
  stored++;
  if (row.result.distribution !== "pending") return;
  storedPending++;
  await new Promise<void>((isKnown) => {
    pending.set(id, isKnown);
    if (pending.size === 1) askForAll();
  });
}

/** Asks where the pending leads went as the function does (recruiting/ingest/pending_leads.ts): one call for all. */
async function askForAll(): Promise<void> {
  for (let pause = 5; pending.size > 0;) {
    const [first, ...others] = pending.keys() as Iterable<string> as [string, ...string[]];
    const [{ result }] = await sql<[{ result: Distributions }]>`
      select distribute_pending_leads(${first}, ${others}) as result`;
    const known = Object.entries({ ...result.others, [first]: result })
      .filter(([, { distribution }]) => distribution !== "pending");
    for (const [id] of known) {
      pending.get(id)!();
      pending.delete(id);
    }
    if (known.length === 0) await new Promise((resolve) => setTimeout(resolve, pause));
    pause = known.length === 0 ? Math.min(2 * pause, 25) : 5;
  }
}
