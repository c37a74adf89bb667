import { createAgency } from "./agency.ts";
import { backendCpu } from "./cpu.ts";
import { fill, pickRows } from "./fill.ts";
import { growthChart } from "./growth_chart.ts";
import { type FullDatabase, GROWTH_REQUESTS, type GrowthRequest } from "./growth_requests.ts";
import { type Benchmark, inTurns, median, ratios } from "./measurement.ts";
import { ingestLead } from "./ingest_lead.ts";
import { markdownTable } from "./report.ts";
import { startStack } from "./stacks.ts";

/** Rows in each table, one stack each. */
const SIZES = [10_000, 100_000, 1_000_000] as const;
/** What a request may cost with the most rows, as a multiple of its cost with the fewest. */
const MOST_GROWTH = 1.25;

/** Whether a request costs more when there are many rows. */
export const growth: Benchmark = {
  name: "growth",
  title: "The database's work for a request, with 10,000 to 1,000,000 rows in each table",
  async run({ plot }) {
    const databases = await Promise.all(SIZES.map(fullDatabase));
    const side = (request: GrowthRequest, rows: number) => `${request.what}, ${rows} rows`;
    const sides = GROWTH_REQUESTS.flatMap((request) =>
      databases.map((database, i) =>
        [side(request, SIZES[i]!), () => cost(request, database)] as const
      )
    );
    // For the caches and the plans of the statements.
    for (const [, measure] of sides) await measure();
    const costs = await inTurns(Object.fromEntries(sides));

    const growths = GROWTH_REQUESTS.map((request) => ({
      what: request.what,
      costs: SIZES.map((rows) => ({ rows, rounds: costs[side(request, rows)]! })),
    }));
    if (plot) {
      const points = growths.flatMap(({ what, costs }) => {
        const medians = costs.map(({ rounds }) => 1_000 * median(rounds));
        return SIZES.map((rows, i) => ({
          what,
          rows,
          milliseconds: medians[i]!,
          budget: MOST_GROWTH * medians[0]!,
        }));
      });
      await Deno.writeTextFile(plot, await growthChart(points));
      console.log(`Wrote ${plot}`);
    }
    console.log(markdownTable(growths.map(({ what, costs }) => {
      const [least, most] = [costs[0]!, costs.at(-1)!];
      const figure = ({ rounds }: typeof least) => `${(1_000 * median(rounds)).toFixed(2)} ms`;
      return {
        "request": what,
        [`${least.rows.toLocaleString("en")} rows`]: figure(least),
        [`${most.rows.toLocaleString("en")} rows`]: figure(most),
        "ratio": `${median(ratios(most.rounds, least.rounds)).toFixed(2)} ×`,
      };
    })));
    return growths.map(({ what, costs }) => ({
      what: `${what}, 1,000,000 rows / 10,000`,
      rounds: ratios(costs.at(-1)!.rounds, costs[0]!.rounds),
      unit: "×",
      budget: { atMost: MOST_GROWTH },
      detail: costs
        .map(({ rows, rounds }) =>
          `${(1_000 * median(rounds)).toFixed(3)} ms with ${rows.toLocaleString("en")}`
        )
        .join(", "),
    }));
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
async function cost(request: GrowthRequest, database: FullDatabase): Promise<number> {
  // The first change of a page after a checkpoint writes the whole page to the log. Without this, only the large tables
  // would have pages left that no turn before has changed.
  await database.sql`checkpoint`;
  const clock = await backendCpu(database.sql);
  const before = clock();
  for (let i = 0; i < request.times; i++) {
    const answer = JSON.stringify(await request.send(database));
    if (!answer.includes(request.answer)) throw new Error(`${request.what}: ${answer}`);
  }
  return (clock() - before) / request.times;
}
