import { readImportedLead } from "../supabase/functions/api/imported_lead.ts";
import { type Agency, createAgency } from "./agency.ts";
import { salesLeads } from "./leads.ts";
import { type Benchmark, inTurns, median, ratios, seconds } from "./measurement.ts";
import { startReferenceServer } from "./reference_server.ts";
import { type BenchStack, startStack } from "./stacks.ts";

const ROUNDS = 7;
const LEADS = 10_000;
/** The reference takes its time, and its rate does not depend on how many leads it is given. */
const REFERENCE_LEADS = 2_000;

/** A request of a usual size, several in each round. */
const FEW_LEADS = 1_000;
const FEW_REQUESTS = 5;

/**
 * One request of the largest size, against the least the database could do and against the usual Node server; and one of a
 * usual size, against the SQL function straight on PostgREST.
 */
export const importLeads: Benchmark = {
  name: "import",
  title: "POST /api/leads/import, 10,000 and 1,000 new leads in one request",
  async run() {
    const stack = await startStack();
    const agency = await createAgency(stack.sql);
    const reference = await startReferenceServer(stack, agency);
    const refer = (together: number) =>
      rate(
        `${reference}/import?together=${together}`,
        {},
        salesLeads(REFERENCE_LEADS),
        REFERENCE_LEADS,
      );

    const rates = await inTurns(ROUNDS, {
      ours: () => importRate(stack, agency, LEADS),
      insertSelect: () => insertSelect(stack, agency),
      oneByOne: () => refer(1),
      tenAtATime: () => refer(10),
    });

    const fewRates = await inTurns(ROUNDS, {
      ours: () => several(() => importRate(stack, agency, FEW_LEADS)),
      rpc: () => several(() => rpcRate(stack, agency)),
    });

    const per = (values: number[]) => `${Math.round(median(values))} leads a second`;
    const compare = (what: string, other: number[], atLeast: number, ours = rates.ours) => ({
      what: `import / ${what}`,
      rounds: ratios(ours, other),
      unit: "×" as const,
      budget: { atLeast },
      detail: `${per(ours)} and ${per(other)}`,
    });
    return [
      compare(
        "one insert … select of the same rows, from a JSON parameter",
        rates.insertSelect,
        0.6,
      ),
      compare("Fastify + pg, one insert after another", rates.oneByOne, 5),
      compare("Fastify + pg, ten inserts at a time", rates.tenAtATime, 3),
      compare(
        "import_leads straight on PostgREST, 1,000 leads each",
        fewRates.rpc,
        0.9,
        fewRates.ours,
      ),
    ];
  },
};

function importRate(stack: BenchStack, agency: Agency, count: number): Promise<number> {
  const headers = { "x-api-key": stack.leads_import_api_key };
  const body = { ...targetOf(agency), leads: salesLeads(count) };
  return rate(`${stack.functions_url}/api/leads/import`, headers, body, count);
}

/** The same of one call of the SQL function, which is given the leads as the function has read them. */
function rpcRate(stack: BenchStack, agency: Agency): Promise<number> {
  const headers = { authorization: `Bearer ${stack.service_role_key}` };
  const leads = salesLeads(FEW_LEADS)
    .map((lead, index) => ({ index, ...readImportedLead(lead).data }));
  const body = { ...targetOf(agency), distribution_id: null, leads };
  return rate(`${stack.restUrl}/rpc/import_leads`, headers, body, FEW_LEADS);
}

function targetOf({ agencyId, agentId }: Agency) {
  return { agency_id: agencyId, agent_id: agentId };
}

/** The middle rate of several requests, one after another. */
async function several(run: () => Promise<number>): Promise<number> {
  const rates: number[] = [];
  for (let request = 0; request < FEW_REQUESTS; request++) rates.push(await run());
  return median(rates);
}

/** Leads a second of one request that imports all of its leads, from its first byte to the last of the answer. */
async function rate(
  url: string,
  headers: Record<string, string>,
  body: unknown,
  count: number,
): Promise<number> {
  const text = JSON.stringify(body);
  let answer: { imported: number | unknown[] } = { imported: 0 };
  const taken = await seconds(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: text,
    });
    answer = await response.json();
  });
  // The route gives a number, the SQL function a list.
  const { imported } = answer;
  if ((Array.isArray(imported) ? imported.length : imported) !== count) {
    throw new Error(`not imported: ${JSON.stringify(answer)}`);
  }
  return count / taken;
}

const COLUMNS = [
  ...["external_id", "first_name", "last_name", "phone", "phone_e164", "email", "address"],
  ...["city", "state", "zip", "language", "type"],
];

/** The same rows as the function makes of the leads, by the database's owner, in one statement and one round trip. */
async function insertSelect({ sql }: BenchStack, { agencyId, agentId }: Agency): Promise<number> {
  const rows = JSON.stringify(salesLeads(LEADS).map((lead) => readImportedLead(lead).data));
  const columns = COLUMNS.join(", ");
  const types = COLUMNS.map((name) => `${name} ${name === "external_id" ? "uuid" : "text"}`);
  const taken = await seconds(() =>
    sql.unsafe(
      `insert into leads (agency_id, agent_id, source, status, stage, ${columns})
      select $1, $2, 'platform', 'open', 'new', ${columns}
      from json_to_recordset($3::text::json) as lead (${types.join(", ")})`,
      [agencyId, agentId, rows],
    )
  );
  return LEADS / taken;
}
