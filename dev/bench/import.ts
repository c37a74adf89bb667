import { readImportedLead } from "../../supabase/functions/api/imported_lead.ts";
import { type Agency, createAgency } from "./agency.ts";
import { salesLeads } from "./leads.ts";
import { jsonHeaders } from "./load.ts";
import { type Benchmark, inTurns, median, ratio, ROUNDS } from "./measurement.ts";
import { createPlainRpc } from "./plain_rpc.ts";
import { type OwnStack, startStack } from "./stacks.ts";

const LEADS = 10_000;

/** A request of a usual size, several in each round. */
const FEW_LEADS = 1_000;
const FEW_REQUESTS = 5;

/**
 * One request of the largest size and one of a usual size, against the least that PostgREST could do. The largest is
 * also compared with the least that the database could do.
 */
export const importLeads: Benchmark = {
  name: "import",
  title: "POST /api/leads/import, 10,000 and 1,000 new leads in one request",
  async run() {
    const stack = await startStack();
    const agency = await createAgency(stack.sql);
    const target = { agency_id: agency.agencyId, agent_id: agency.agentId };
    const plainRpc = await createPlainRpc(stack, "leads", COLUMNS, target);
    const ours = (count: number) => {
      const headers = { "x-api-key": stack.leads_import_api_key };
      const body = { ...target, leads: salesLeads(count) };
      return rate(`${stack.functions_url}/api/leads/import`, headers, body, count);
    };
    const plain = (count: number) =>
      rate(plainRpc, jsonHeaders(stack.service_role_key), { rows: readLeads(count) }, count);

    const many = await inTurns({
      ours: () => ours(LEADS),
      plain: () => plain(LEADS),
      insertSelect: () => insertSelect(stack, agency),
    });
    const few = await inTurns({
      ours: () => several(() => ours(FEW_LEADS)),
      plain: () => several(() => plain(FEW_LEADS)),
    });
    const [{ stored }] = await stack.sql<[{ stored: number }]>`
      select count(*)::integer as stored from plain_leads`;
    if (stored !== ROUNDS * (LEADS + FEW_REQUESTS * FEW_LEADS)) {
      throw new Error(`the plain rpc stored ${stored} leads`);
    }

    const compare = (what: string, ours: number[], other: number[], atLeast: number) =>
      ratio(
        `import / ${what}`,
        [ours, other],
        { atLeast },
        (rate) => `${Math.round(rate)} leads a second`,
      );
    return [
      compare("plain rpc, 10,000 leads", many.ours, many.plain, 1.6),
      compare("plain rpc, 1,000 leads", few.ours, few.plain, 1.4),
      compare("one insert … select of the same rows", many.ours, many.insertSelect, 0.6),
    ];
  },
};

/** New leads as the function reads them. */
function readLeads(count: number) {
  return salesLeads(count).map((lead) => readImportedLead(lead).data);
}

/** The middle rate of several requests, one after another. */
async function several(run: () => Promise<number>): Promise<number> {
  const rates: number[] = [];
  for (let request = 0; request < FEW_REQUESTS; request++) rates.push(await run());
  return median(rates);
}

/** Leads a second of one request that stores all of its leads, from its first byte to the last of the response. */
async function rate(
  url: string,
  headers: Record<string, string>,
  body: unknown,
  count: number,
): Promise<number> {
  const request = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  const startedAt = performance.now();
  const text = await (await fetch(url, request)).text();
  const taken = (performance.now() - startedAt) / 1_000;
  // The plain rpc returns nothing.
  if (text && JSON.parse(text).imported !== count) throw new Error(`not imported: ${text}`);
  return count / taken;
}

const COLUMNS = [
  "external_id",
  "first_name",
  "last_name",
  "phone",
  "phone_e164",
  "email",
  "address",
  "city",
  "state",
  "zip",
  "language",
  "type",
];

/** The same rows as the function makes of the leads, by the database's owner, in one statement and one round trip. */
async function insertSelect({ sql }: OwnStack, { agencyId, agentId }: Agency) {
  const rows = JSON.stringify(readLeads(LEADS));
  const columns = COLUMNS.join(", ");
  const types = COLUMNS.map((name) => `${name} ${name === "external_id" ? "uuid" : "text"}`);
  const startedAt = performance.now();
  await sql.unsafe(
    `insert into leads (agency_id, agent_id, source, status, stage, ${columns})
    select $1, $2, 'platform', 'open', 'new', ${columns}
    from json_to_recordset($3::text::json) as lead (${types.join(", ")})`,
    [agencyId, agentId, rows],
  );
  return LEADS / ((performance.now() - startedAt) / 1_000);
}
