import type postgres from "postgres";
import { type Agency, createAgency } from "./agency.ts";
import { backendCpu } from "./cpu.ts";
import { fill, newestIds } from "./fill.ts";
import { type IngestLead, ingestLead } from "./ingest_lead.ts";
import { parsedRecruit, salesLeads } from "./leads.ts";
import { type Benchmark, inTurns, ratio } from "./measurement.ts";
import { startStack } from "./stacks.ts";

/** Leads of each kind, one stack each. */
const FEW = 10_000;
const MANY = 1_000_000;
/** The most that a request may cost with many leads, as a multiple of its cost with few. */
const MOST_GROWTH = 1.25;
/** CPU that a request is repeated for in each round, in seconds. */
const ROUND_SECONDS = 0.02;
const IMPORT = 500;

/** A database that is full of leads, and what requests to it need. */
interface FullDatabase {
  sql: postgres.Sql;
  agency: Agency;
  ingest: IngestLead;
  /** The id that one of the newest leads came with, another one each time, so that not all requests find one page. */
  anyId(): string;
}

/** The SQL that the functions call for a request, and a part of its result that shows it was done. */
const REQUESTS: Record<string, [send: (to: FullDatabase) => PromiseLike<unknown>, string]> = {
  "a new recruit": [(to) => ingest(to, crypto.randomUUID()), '"distributed_to":{'],
  "a duplicate": [(to) => ingest(to, to.anyId()), '"status":"duplicate"'],
  [`an import of ${IMPORT} new leads`]: [
    (to) => importLeads(to, () => crypto.randomUUID()),
    '"duplicates":[]',
  ],
  [`an import of ${IMPORT} duplicates`]: [(to) => importLeads(to, to.anyId), '"imported":[]'],
};

/** Whether a lead costs more when there are many. */
export const growth: Benchmark = {
  name: "growth",
  title: "The database's work for a lead, with 10,000 and 1,000,000 leads stored",
  async run() {
    const [few, many] = await Promise.all([fullDatabase(FEW), fullDatabase(MANY)]);
    const names = Object.keys(REQUESTS);
    const sides = Object.fromEntries(
      names.flatMap((what) => [
        [`${what}, few`, () => cost(what, few)],
        [`${what}, many`, () => cost(what, many)],
      ]),
    );
    // For the caches and the plans of the statements.
    for (const measure of Object.values(sides)) await measure();
    const costs = await inTurns(sides);
    return names.map((what) =>
      ratio(
        `${what}, 1,000,000 leads / 10,000`,
        [costs[`${what}, many`]!, costs[`${what}, few`]!],
        { atMost: MOST_GROWTH },
        (cost) => `${(1_000 * cost).toFixed(2)} ms`,
      )
    );
  },
};

async function fullDatabase(leads: number): Promise<FullDatabase> {
  const stack = await startStack();
  const { sql } = stack;
  const agency = await createAgency(sql);
  await fill(stack, agency, leads);
  const ids = await newestIds(sql, agency, leads);
  let next = 0;
  const anyId = () => ids[next++ % ids.length]!;
  return { sql, agency, ingest: ingestLead(sql), anyId };
}

/** Seconds of a CPU that the database's process for our connection takes for a request. */
async function cost(what: string, database: FullDatabase) {
  // The first change of a page after a checkpoint writes the whole page to the log. Without this, only the large tables
  // would have pages left that no turn before has changed.
  await database.sql`checkpoint`;
  const [send, result] = REQUESTS[what]!;
  const clock = await backendCpu(database.sql);
  const before = clock();
  for (let times = 1;; times++) {
    const rows = JSON.stringify(await send(database));
    if (!rows.includes(result)) throw new Error(`${what}: ${rows}`);
    const taken = clock() - before;
    if (taken > ROUND_SECONDS) return taken / times;
  }
}

function ingest({ ingest, agency }: FullDatabase, vendorLeadId: string) {
  const lead = { ...parsedRecruit(crypto.randomUUID()), vendor_lead_id: vendorLeadId };
  return ingest({ key_hash: agency.keyHash, lead });
}

function importLeads({ sql, agency }: FullDatabase, externalId: () => string) {
  const leads = salesLeads(IMPORT)
    .map((lead, index) => ({ ...lead, index, external_id: externalId() }));
  return sql`
    select import_leads(
      ${agency.agencyId}, ${agency.agentId}, null, ${JSON.stringify(leads)}::text::json
    )`;
}
