import { createAgency } from "./agency.ts";
import { backendCpu } from "./cpu.ts";
import { fill, pickRows } from "./fill.ts";
import { type FullDatabase, GROWTH_REQUESTS, type GrowthRequest } from "./growth_requests.ts";
import { ingestLead } from "./ingest_lead.ts";
import { type Benchmark, inTurns, ratio } from "./measurement.ts";
import { startStack } from "./stacks.ts";

/** Rows in each table, one stack each. */
const FEW = 10_000;
const MANY = 1_000_000;
/** What a request may cost with many rows, as a multiple of its cost with few. */
const MOST_GROWTH = 1.25;
/** CPU that a request is repeated for in each round, in seconds. */
const ROUND_SECONDS = 0.02;

/** Whether a request costs more when there are many rows. */
export const growth: Benchmark = {
  name: "growth",
  title: "The database's work for a request, with 10,000 and 1,000,000 rows in each table",
  async run() {
    const [few, many] = await Promise.all([fullDatabase(FEW), fullDatabase(MANY)]);
    const sides = Object.fromEntries(
      Object.entries(GROWTH_REQUESTS).flatMap(([what, request]) => [
        [`${what}, few`, () => cost(what, request, few)],
        [`${what}, many`, () => cost(what, request, many)],
      ]),
    );
    // For the caches and the plans of the statements.
    for (const measure of Object.values(sides)) await measure();
    const costs = await inTurns(sides);

    return Object.keys(GROWTH_REQUESTS).map((what) => {
      const sides = [costs[`${what}, many`]!, costs[`${what}, few`]!] as [number[], number[]];
      const budget = { atMost: MOST_GROWTH };
      const milliseconds = (cost: number) => `${(1_000 * cost).toFixed(2)} ms`;
      return ratio(`${what}, 1,000,000 rows / 10,000`, sides, budget, milliseconds);
    });
  },
};

async function fullDatabase(rows: number): Promise<FullDatabase> {
  const stack = await startStack();
  const { sql } = stack;
  const agency = await createAgency(sql);
  await sql`insert into auth.users (id) select id from agents where agency_id = ${agency.agencyId}`;
  await sql`update agents set user_id = id where agency_id = ${agency.agencyId}`;
  await sql`
    update vendors set webhook_scheme = 'header', webhook_config = '{"header": "x-secret"}'
    where slug = 'bench'`;
  const [{ secretId }] = await sql<[{ secretId: string }]>`
    select create_vendor_webhook_secret('bench', 'secret', ${crypto.randomUUID()}, 'bench')
      as "secretId"`;

  await fill(stack, agency, rows);
  const stored = await pickRows(sql, rows);
  let next = 0;
  const anyRow = () => stored[next++ % stored.length]!;
  return { sql, agency, ingest: await ingestLead(sql), secretId, anyRow };
}

/** Seconds of a CPU that the database's process for our connection takes for a request. */
async function cost(what: string, { send, result }: GrowthRequest, database: FullDatabase) {
  // The first change of a page after a checkpoint writes the whole page to the log. Without this, only the large tables
  // would have pages left that no turn before has changed.
  await database.sql`checkpoint`;
  const clock = await backendCpu(database.sql);
  const before = clock();
  for (let times = 1;; times++) {
    const rows = JSON.stringify(await send(database));
    if (!rows.includes(result)) throw new Error(`${what}: ${rows}`);
    const taken = clock() - before;
    if (taken > ROUND_SECONDS) return taken / times;
  }
}
