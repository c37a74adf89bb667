import type postgres from "postgres";
import { connect } from "../local/mod.ts";
import { migrationFiles } from "../scripts/migration/files.ts";
import { withScratch } from "../scripts/migration/scratch.ts";
import { type Agency, createOrder, storeLeads } from "./agency.ts";
import { costOfLead } from "./ingest_lead.ts";
import { type Benchmark, inTurns, type Measurement, ratio } from "./measurement.ts";
import { startStack } from "./stacks.ts";

const LEADS_TODAY = 10_000;

/** Adds what there is to choose from besides one order and 20 agents. Each is added to a database of its own. */
const ADDED = {
  nothing: () => Promise.resolve(),
  orders: (sql: postgres.Sql, { agencyId, vendorId }: Agency) =>
    sql`
      insert into recruiting_orders (agency_id, vendor_id, states, quantity, priority)
      select
        ${agencyId}, case when n % 2 = 0 then ${vendorId}::uuid end, case when n % 3 = 0 then '{IL}'::text[] end,
        10000000, 1
      from generate_series(1, 10000) n`,
  otherOrders: (sql: postgres.Sql, agency: Agency) => addOtherOrders(sql, agency, ["{TX}", "{CA}", "{NY}"]),
  listedStates: (sql: postgres.Sql, agency: Agency) =>
    addOtherOrders(sql, agency, ["{TX,CA}", "{NY,FL,OH}", "{WA,GA}"]),
  agents: (sql: postgres.Sql, { agencyId }: Agency) =>
    sql`
      insert into agents (agency_id, first_name)
      select ${agencyId}, 'Agent ' || n from generate_series(1, 10000) n`,
  capped: async (sql: postgres.Sql, { agencyId, vendorId }: Agency) => {
    const orders = await sql<{ id: string }[]>`
      insert into recruiting_orders (agency_id, vendor_id, quantity, daily_cap, priority)
      select ${agencyId}, ${vendorId}, 10000000, ${LEADS_TODAY}, 2
      from generate_series(1, 100) returning id`;
    await storeLeads(sql, orders.map(({ id }) => id), LEADS_TODAY);
  },
};

/** The setting in which a lead's cost is measured. */
interface Choice {
  what: string;
  added: keyof typeof ADDED;
  /** The daily cap of the orders that have one. */
  cap?: number;
  /** Whether the one order gets the leads anyway, and the added ones only stand in the way. */
  toOne: boolean;
}

const ONE: Choice = { what: "one order, 20 agents", added: "nothing", toOne: true };
const CHOICES: Choice[] = [
  { what: "10,000 open orders that want it", added: "orders", toOne: false },
  { what: "10,000 for other vendors, or for one other state", added: "otherOrders", toOne: true },
  { what: "10,000 for other vendors, or for several states", added: "listedStates", toOne: true },
  { what: "10,000 agents", added: "agents", toOne: true },
  { what: "100 orders below their cap", added: "capped", cap: 2 * LEADS_TODAY, toOne: false },
  { what: "100 orders at their cap", added: "capped", cap: LEADS_TODAY, toOne: true },
];

/**
 * Half of the orders are for other vendors, half for the vendor's leads from these states. All go before the one order.
 */
async function addOtherOrders(sql: postgres.Sql, agency: Agency, states: string[]) {
  const { agencyId, vendorId } = agency;
  await sql`
    insert into vendors (slug, name, parser) select 'other-' || n, 'Other', 'generic' from generate_series(1, 10) n`;
  await sql`
    insert into recruiting_orders (agency_id, vendor_id, states, quantity, priority)
    select
      ${agencyId},
      case when n % 2 = 0 then ${vendorId}::uuid else other.ids[1 + n / 2 % 10] end,
      case when n % 2 = 0 then (${states}::text[])[1 + n / 2 % 3]::text[] end,
      10000000, 2
    from generate_series(1, 10000) n
    cross join (select array_agg(id) as ids from vendors where slug like 'other-%') other`;
}

/** The cost of a lead in the database with much to choose from, against one order and 20 agents. */
export const distribution: Benchmark = {
  name: "distribution",
  title: "A lead in the database, with many orders, agents and capped orders, against one order",
  async run() {
    const { db_url } = await startStack();
    return await withScratch(db_url, ({ build }) => measure(() => build(migrationFiles())));
  },
};

async function measure(newDatabase: () => Promise<string>): Promise<Measurement[]> {
  const databases = new Map<keyof typeof ADDED, Database>();
  try {
    for (const [name, add] of Object.entries(ADDED)) {
      const sql = connect(await newDatabase());
      const agency = await createOrder(sql);
      databases.set(name as keyof typeof ADDED, { sql, agency });
      await add(sql, agency);
      await sql`vacuum analyze`;
      await sql`checkpoint`;
    }
    const costs = await inTurns(Object.fromEntries(
      [ONE, ...CHOICES].map((choice) => [choice.what, () => costOf(databases.get(choice.added)!, choice)]),
    ));
    return CHOICES.map(({ what }) =>
      ratio(
        `a lead with ${what} / ${ONE.what}`,
        [costs[what]!, costs[ONE.what]!],
        { atMost: 1.5 },
        (cost) => `${(1e6 * cost).toFixed(0)} µs`,
      )
    );
  } finally {
    await Promise.all(databases.values().map(({ sql }) => sql.end()));
  }
}

interface Database {
  sql: postgres.Sql;
  agency: Agency;
}

/** Seconds of CPU that the server process spends on a lead that is stored and distributed. */
async function costOf({ sql, agency }: Database, choice: Choice): Promise<number> {
  const { cap = null, toOne } = choice;
  await sql`update recruiting_orders set daily_cap = ${cap} where daily_cap <> ${cap}`;
  const before = await countFilled(sql, agency);
  const { leads, cost } = await costOfLead(sql, agency);
  const after = await countFilled(sql, agency);
  const byOneOrder = after.one - before.one;
  if (after.all - before.all !== leads || (toOne && byOneOrder !== leads)) {
    throw new Error(
      `${choice.what}: all orders got ${after.all - before.all} leads, the one ${byOneOrder}`,
    );
  }
  return cost;
}

/** The number of leads that the one order has got, and all orders together. */
async function countFilled(sql: postgres.Sql, { orderId }: Agency) {
  const [counts] = await sql<[{ one: number; all: number }]>`
    select (sum(filled) filter (where id = ${orderId}))::integer as one, sum(filled)::integer as all
    from recruiting_orders`;
  return counts;
}
