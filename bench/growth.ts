import { type Agency, createAgency } from "./agency.ts";
import { fill } from "./fill.ts";
import { parsedRecruit, salesLeads } from "./leads.ts";
import { type Benchmark, inTurns, median, ratios, seconds } from "./measurement.ts";
import { type BenchStack, startStack } from "./stacks.ts";

const FEW = 10_000;
const MANY = 1_000_000;
const ROUNDS = 9;
const INGESTS = 300;
/** A chunk, as the function sends it. */
const IMPORTED = 2_000;

/** Whether a lead costs more when there are many: the SQL functions are timed on two stacks, one of them full. */
export const growth: Benchmark = {
  name: "growth",
  title: "A lead's cost with 1,000,000 leads of each kind stored",
  async run() {
    const [few, many] = await Promise.all([filled(FEW), filled(MANY)]);
    const times = await inTurns(ROUNDS, {
      ingestFew: () => ingest(few),
      ingestMany: () => ingest(many),
      importFew: () => importChunk(few),
      importMany: () => importChunk(many),
    });
    const compare = (what: string, full: number[], small: number[]) => ({
      what: `${what} with 1,000,000 stored / with 10,000`,
      rounds: ratios(full, small),
      unit: "×" as const,
      budget: { atMost: 1.25 },
      detail: `${micros(median(full))} and ${micros(median(small))} a lead`,
    });
    return [
      compare("ingest_recruiting_lead", times.ingestMany, times.ingestFew),
      compare("import_leads", times.importMany, times.importFew),
    ];
  },
};

interface Filled {
  stack: BenchStack;
  agency: Agency;
}

async function filled(count: number): Promise<Filled> {
  const stack = await startStack();
  const agency = await createAgency(stack.sql);
  await fill(stack, agency, count);
  return { stack, agency };
}

async function ingest({ stack: { sql }, agency }: Filled): Promise<number> {
  const taken = await seconds(async () => {
    for (let i = 0; i < INGESTS; i++) {
      const lead = parsedRecruit(crypto.randomUUID());
      await sql`select ingest_recruiting_lead(${agency.keyHash}, ${sql.json(lead)})`;
    }
  });
  return taken / INGESTS;
}

async function importChunk({ stack: { sql }, agency }: Filled): Promise<number> {
  const leads = JSON.stringify(salesLeads(IMPORTED).map((lead, index) => ({ index, ...lead })));
  const taken = await seconds(() =>
    sql`select import_leads(${agency.agencyId}, ${agency.agentId}, null, ${leads}::text::json)`
  );
  return taken / IMPORTED;
}

function micros(seconds: number): string {
  return `${Math.round(seconds * 1e6)} µs`;
}
