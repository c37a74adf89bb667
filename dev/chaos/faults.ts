import { setTimeout as delay } from "node:timers/promises";
import { cutConnections, DISTRIBUTION_LOCK, whileHeld } from "../testing/faults/database.ts";
import { signInNewAgent } from "../../e2e/support/agents.ts";
import { createAgency, sql, stack } from "../../e2e/support/client.ts";
import { hangFor, kill } from "../testing/faults/parts.ts";
import { readTooMuch } from "../testing/faults/readers.ts";

/** Something that goes wrong for a while. */
export interface Fault {
  name: string;
  /** Makes it, and ends it after about this many seconds. */
  run(seconds: number): Promise<void>;
}

/**
 * All faults. A run takes each of them in turn, in a random order. `e2e/faults` has the same faults one by one, and
 * those of a locked table or row. Where there are two gateways, a fault of `gateway` meets the other one next.
 */
export const FAULTS: Fault[] = [
  { name: "Postgres is killed", run: () => kill("postgres") },
  { name: "Postgres ends its connections and restarts", run: () => kill("postgres", "SIGINT") },
  { name: "Postgres stands still", run: (seconds) => hangFor("postgres", seconds) },
  { name: "PostgREST is killed", run: () => kill("postgrest") },
  { name: "PostgREST stands still", run: (seconds) => hangFor("postgrest", seconds) },
  { name: "storage is killed", run: () => kill("lite") },
  { name: "storage stands still", run: (seconds) => hangFor("lite", seconds) },
  { name: "the functions are killed", run: () => kill("gateway") },
  { name: "the functions stand still", run: (seconds) => hangFor("gateway", seconds) },
  { name: "PostgREST's connections are cut again and again", run: keepCutting },
  {
    name: "the distribution lock is held",
    run: (seconds) => whileHeld(DISTRIBUTION_LOCK, () => delay(seconds * 1_000)),
  },
  { name: "a manager reads as fast as possible", run: readAsManager },
];

/**
 * Waits until all parts work again, behind each of these gateways.
 *
 * @throws {Error} when they do not within a minute
 */
export async function recovery(gateways: string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  const paths = ["/functions/v1/recruiting/health", "/auth/v1/health"];
  for (const url of gateways.flatMap((gateway) => paths.map((path) => gateway + path))) {
    while (!await isWell(url)) {
      if (Date.now() > deadline) throw new Error(`${url} is not well a minute after the fault`);
      await delay(100);
    }
  }
}

async function isWell(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** As a new manager of the agency with the most leads, who gets none. */
async function readAsManager(seconds: number): Promise<void> {
  const [row] = await sql<[{ agency_id: string }?]>`
    select l.agency_id
    from public.recruiting_leads l
    where l.agency_id is not null
    group by 1
    order by count(*) desc
    limit 1`;
  const agency_id = row?.agency_id ?? (await createAgency()).id;
  const { token } = await signInNewAgent(agency_id, "manager");
  await readTooMuch(stack, [token], 24, seconds);
}

async function keepCutting(seconds: number): Promise<void> {
  for (const until = Date.now() + seconds * 1_000; Date.now() < until;) {
    await cutConnections("authenticator");
    await delay(200);
  }
}
