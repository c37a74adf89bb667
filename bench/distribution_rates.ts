import type postgres from "postgres";
import { connect } from "../local/mod.ts";
import { createOrder } from "./distribution_database.ts";
import { parsedRecruit } from "./leads.ts";
import { inTurns, type Measurement, median, ratios } from "./measurement.ts";
import { probe } from "./probe.ts";

/** What the process of distribution_callers.ts is to do. */
export interface DistributionLoad {
  dbUrl: string;
  keyHash: string;
  /** The lead to send; it gets a new id each time. */
  lead: object;
  /** Connections to the database. */
  connections: number;
  /** Callers that share them. Each sends its next lead when it is known where the last one went. */
  callers: number;
  /** How much longer the flush of a commit takes than the disk needs, in milliseconds. */
  commitLatency: number;
  /** Leads before the measurement, so that each connection has its query plans. */
  warmUp: number;
  /** For how many milliseconds leads are sent. */
  duration: number;
}

/** What came of it. */
export interface DistributionResult {
  /** Leads a second, from the first one sent until it is known where each of them went. */
  rate: number;
  /** The share of the leads that were stored as `pending`. */
  pending: number;
  /** Share of one core that the callers took. */
  generator: number;
  /** Leads in all, those of the warm-up included. */
  leads: number;
}

const ROUNDS = 7;
const CONNECTIONS = 16;
/** One caller for each connection; and more, as where the requests of the functions share PostgREST's connections. */
const CALLERS = [CONNECTIONS, 4 * CONNECTIONS];
const LATENCIES = [0, 1, 3];

/** Leads a second with an order open and with none, in turns on the same database. */
export async function measureRates(newDatabase: () => Promise<string>): Promise<Measurement[]> {
  const dbUrl = await newDatabase();
  const sql = connect(dbUrl);
  try {
    const { keyHash } = await createOrder(sql);
    const base = { dbUrl, keyHash, lead: parsedRecruit(""), connections: CONNECTIONS };
    const load = { ...base, warmUp: 20 * CONNECTIONS, duration: 1_000 };
    const measurements: Measurement[] = [];
    for (const callers of CALLERS) {
      for (const commitLatency of LATENCIES) {
        measurements.push(await compare(sql, { ...load, callers, commitLatency }));
      }
    }
    return measurements;
  } finally {
    await sql.end();
  }
}

async function compare(sql: postgres.Sql, load: DistributionLoad): Promise<Measurement> {
  const results = { open: [] as DistributionResult[], paused: [] as DistributionResult[] };
  const send = async (status: "open" | "paused") => {
    const before = await filled(sql);
    await sql`update recruiting_orders set status = ${status}`;
    await sql`vacuum analyze recruiting_leads, recruiting_orders, agents`;
    const result = await probe<DistributionResult>("distribution_callers.ts", [
      JSON.stringify(load),
    ]);
    const taken = await filled(sql) - before;
    if (taken !== (status === "open" ? result.leads : 0)) {
      throw new Error(`of ${result.leads} leads the order got ${taken}`);
    }
    results[status].push(result);
    return result.rate;
  };
  const rates = await inTurns(ROUNDS, { open: () => send("open"), none: () => send("paused") });

  const percent = (values: number[]) => `${(100 * median(values)).toFixed(0)} %`;
  return {
    what: `${load.callers} callers, commit latency ${load.commitLatency} ms: an order open / none`,
    rounds: ratios(rates.open, rates.none),
    unit: "×",
    budget: { atLeast: 0.4 },
    detail: `${median(rates.open).toFixed(0)} and ${median(rates.none).toFixed(0)} a second` +
      `; ${percent(results.open.map(({ pending }) => pending))} were pending first` +
      `; without an order the callers took ${
        percent(results.paused.map(({ generator }) => generator))
      } of a core`,
  };
}

/** How many leads the order has got. */
async function filled(sql: postgres.Sql): Promise<number> {
  const [{ count, filled, pending }] = await sql<
    [{ count: number; filled: number; pending: number }]
  >`
    select
      count(order_id)::integer as count,
      (select filled from recruiting_orders) as filled,
      count(*) filter (where distribution = 'pending')::integer as pending
    from recruiting_leads`;
  if (count !== filled || pending > 0) {
    throw new Error(`the order has ${count} leads and counts ${filled}, ${pending} are pending`);
  }
  return filled;
}
