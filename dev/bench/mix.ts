import type postgres from "postgres";
import { notifyAgents } from "../local/mod.ts";
import { createAgency, createVendor, type Vendor } from "./agency.ts";
import { cpuSince, type StackCpu, stackCpu } from "./cpu.ts";
import { costOfLead } from "./ingest_lead.ts";
import { recruit } from "./leads.ts";
import { generateLoad, jsonHeaders, type Load, type LoadResult } from "./load.ts";
import { type Benchmark, inTurns, median, ratio, ROUNDS } from "./measurement.ts";
import { startStack } from "./stacks.ts";

const CONNECTIONS = 64;
/** The refused leads that one of the vendors has sent before. */
const REFUSED = 50_000;

/** What a vendor sends: new leads alone, or one duplicate and one refused lead in ten. */
const SIDES = {
  clean: "new leads alone",
  mix: "the mix",
  late: `the mix after ${REFUSED.toLocaleString("en")} refused leads`,
};
type Side = keyof typeof SIDES;

/**
 * Whether leads that are not new cost more than new ones, and more when many were refused before; and whether a burst of
 * them leaves anything that makes later leads slower.
 */
export const mix: Benchmark = {
  name: "mix",
  title: "New leads alone, against one duplicate and one refused lead in ten",
  async run({ seconds }) {
    const { sql, functions_url } = await startStack();
    const vendors = await createVendors(sql);
    const url = `${functions_url}/recruiting/ingest`;
    const loads = Object.fromEntries(
      await Promise.all(Object.entries(vendors).map(async ([side, vendor]) => [side, await loadOf(sql, url, vendor)])),
    ) as Record<Side, Load>;
    const before = await costsOfLead(sql, vendors.clean);
    const { body, status } = loads.late.others![0]!;
    for (let sent = 0; sent < REFUSED;) {
      sent += (await generateLoad({ ...loads.late, body, status, others: [], seconds: 5 })).requests;
    }

    const results: Record<Side, (LoadResult & { cpu: StackCpu })[]> = { clean: [], mix: [], late: [] };
    await inTurns(Object.fromEntries(
      Object.keys(SIDES).map((name) => {
        const side = name as Side;
        return [side, async () => {
          // Else the leads of one side are notified at the cost of another.
          await notifyAgents(sql);
          const before = stackCpu();
          const { others = [], ...load } = loads[side];
          const result = await generateLoad({ ...load, others: side === "clean" ? [] : others, seconds });
          results[side].push({ ...result, cpu: cpuSince(before, result.requests) });
          return result.rate;
        }];
      }),
    ) as Record<Side, () => Promise<number>>);

    for (const side of Object.keys(SIDES) as Side[]) {
      const cpu = median(results[side].map(({ cpu }) => cpu.postgres));
      console.log(`CPU of Postgres for a request, ${SIDES[side]}: ${cpu.toFixed(2)} ms`);
    }
    // As autovacuum does some minutes later.
    await sql`vacuum analyze`;
    const after = await costsOfLead(sql, vendors.clean);
    const figures = (figure: "rate" | "p99", side: Side) => results[side].map((result) => result[figure]);
    const measurements = (["mix", "late"] as const).flatMap((side) => [
      ratio(
        `${SIDES[side]} / ${SIDES.clean}, requests a second`,
        [figures("rate", side), figures("rate", "clean")],
        { atLeast: 0.85 },
        (rate) => `${rate.toFixed(0)} a second`,
      ),
      ratio(
        `${SIDES[side]} / ${SIDES.clean}, p99`,
        [figures("p99", side), figures("p99", "clean")],
        { atMost: 1.5 },
        (ms) => `${ms.toFixed(1)} ms`,
      ),
    ]);
    const what = "a lead alone, after all of them / before, CPU of Postgres";
    return [...measurements, ratio(what, [after, before], { atMost: 1.25 }, (cost) => `${(1e6 * cost).toFixed(0)} µs`)];
  },
};

/** The CPU of Postgres for a lead that is alone in its call, in seconds, several times. */
async function costsOfLead(sql: postgres.Sql, vendor: Vendor): Promise<number[]> {
  const costs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) costs.push((await costOfLead(sql, vendor)).cost);
  return costs;
}

/** A vendor for each side, with an order of its own. */
async function createVendors(sql: postgres.Sql): Promise<Record<Side, Vendor>> {
  await sql`update recruiting_orders set status = 'paused'`;
  const agency = await createAgency(sql, 20);
  const others = [await createVendor(sql, "mix"), await createVendor(sql, "late")] as const;
  for (const { vendorId } of others) {
    await sql`
      insert into recruiting_orders (agency_id, vendor_id, quantity, priority)
      values (${agency.agencyId}, ${vendorId}, 10000000, 1)`;
  }
  return { clean: agency, mix: others[0], late: others[1] };
}

/** New leads of the vendor, with a refused lead and one that is stored already as the others. */
async function loadOf(sql: postgres.Sql, url: string, { vendorId, vendorKey }: Vendor): Promise<Load> {
  const stored = await sql<{ id: string }[]>`
    insert into recruiting_leads (vendor_id, vendor_lead_id, first_name, distribution)
    select ${vendorId}, gen_random_uuid(), 'Ada', 'unmatched' from generate_series(1, 1000)
    returning vendor_lead_id as id`;
  const { first_name: _, ...withoutName } = recruit("{id}");
  const body = JSON.stringify(recruit("{id}"));
  return {
    urls: [url],
    headers: jsonHeaders(vendorKey),
    body,
    status: 201,
    others: [
      { body: JSON.stringify(withoutName), status: 400 },
      { body, status: 200, ids: stored.map(({ id }) => id) },
    ],
    connections: CONNECTIONS,
    seconds: 0,
  };
}
