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
/** The leads of which it is not known where they went. */
const pending = new Map<string, { isBeingAsked: boolean; answer(): void }>();
let calls = 0;
let pause = 5;
let isPausing = false;

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
  await new Promise<void>((answer) => {
    pending.set(id, { isBeingAsked: false, answer });
    setTimeout(askForAll);
  });
}

/** Asks where the pending leads went as the function does (recruiting/ingest/pending_leads.ts). */
async function askForAll(): Promise<void> {
  const asked = pending.entries().filter(([, { isBeingAsked }]) => !isBeingAsked).toArray();
  if (isPausing || calls === 2 || asked.length === 0) return;
  calls++;
  for (const [, question] of asked) question.isBeingAsked = true;
  const [first, ...others] = asked.map(([id]) => id) as [string, ...string[]];
  const [{ result }] = await sql<[{ result: Distributions }]>`
    select distribute_pending_leads(${first}, ${others}) as result`;
  for (const [, question] of asked) question.isBeingAsked = false;
  calls--;
  const known = Object.entries({ ...result.others, [first]: result })
    .filter(([, { distribution }]) => distribution !== "pending");
  for (const [id] of known) {
    pending.get(id)!.answer();
    pending.delete(id);
  }
  if (known.length === 0) {
    isPausing = true;
    await new Promise((resolve) => setTimeout(resolve, pause));
    isPausing = false;
  }
  pause = known.length === 0 ? Math.min(2 * pause, 25) : 5;
  askForAll();
}
