import { createAgency } from "./agency.ts";
import { recruit, salesLeads } from "./leads.ts";
import { generateLoad, jsonHeaders } from "./load.ts";
import type { Benchmark } from "./measurement.ts";
import { markdownTable } from "./report.ts";
import { cpuSince, PARTS, stackCpu } from "./cpu.ts";
import { type BenchStack, startStack } from "./stacks.ts";

const CONNECTIONS = 16;
const IMPORTS = 4;
const IMPORTED = 1_000;

/** What the arithmetic of docs/scaling.md takes for each row: its disk, and its CPU time of Postgres and PostgREST. */
const COUNTED_WITH: Record<string, string> = {
  "recruiting lead, distributed": "850 B, 3 ms",
  "sales lead, 1,000 a request": "550 B, 0.05 ms",
  "text of 100 characters": "440 B, 1.2 ms",
  "callback": "240 B, 0.9 ms",
  "entry of the journal": "670 B, 0.4 ms",
};
/** Sent straight to PostgREST, so what the gateway's process does for them is none of the function. */
const WITHOUT_FUNCTION = ["text of 100 characters", "callback"];

/** What docs/scaling.md counts with. It has no budget, and is printed as the table that stands there. */
export const costs: Benchmark = {
  name: "costs",
  title: "Disk, WAL and CPU time of a lead, a text, a callback and an entry of the journal",
  async run({ seconds }) {
    const stack = await startStack();
    const senders = await createSenders(stack, 2 * seconds);
    const rows: Record<string, string>[] = [];
    let connections = 0;
    for (const [what, send] of Object.entries(senders)) {
      // The first ones open connections and make pages that later ones only fill.
      await send();
      const cost = await costOf(stack, send);
      connections = Math.max(connections, cost.connections);
      rows.push({
        "one row": what,
        ...cost.columns,
        ...(WITHOUT_FUNCTION.includes(what) && { function: "–" }),
        "counted with": COUNTED_WITH[what]!,
      });
    }
    console.log(markdownTable(rows));
    console.log(`Postgres had at most ${connections} connections open.`);
    return [];
  },
};

/** Each sends requests and returns how many rows they have made. */
async function createSenders(
  stack: BenchStack,
  seconds: number,
): Promise<Record<string, () => Promise<number>>> {
  const { agencyId, agentId, vendorKey } = await createAgency(stack.sql);
  await stack.sql`
    insert into recruiting_conversations (agency_id, recruit_phone, service_phone)
    select ${agencyId}, '+120255501' || n, '+12025550199' from generate_series(10, 9 + ${CONNECTIONS}::integer) n`;
  const post = async (
    url: string,
    key: string,
    body: object,
    status: number,
    connections = CONNECTIONS,
  ) => {
    const headers = jsonHeaders(key);
    const load = { connections, seconds, urls: [url], headers, body: JSON.stringify(body), status };
    return (await generateLoad(load)).requests;
  };
  const ingestUrl = `${stack.functions_url}/recruiting/ingest`;
  // Straight on PostgREST, because these routes want a signature of each request.
  const call = (name: string, body: object, connections?: number) =>
    post(`${stack.restUrl}/rpc/${name}`, stack.service_role_key, body, 200, connections);
  const { first_name: _, ...withoutName } = recruit("{id}");
  return {
    "recruiting lead, distributed": () => post(ingestUrl, vendorKey, recruit("{id}"), 201),
    "sales lead, 1,000 a request": async () => {
      for (let i = 0; i < IMPORTS; i++) {
        const response = await fetch(`${stack.functions_url}/api/leads/import`, {
          method: "POST",
          headers: {
            "x-api-key": stack.leads_import_api_key,
            "content-type": "application/json",
          },
          body: JSON.stringify({
            agency_id: agencyId,
            agent_id: agentId,
            leads: salesLeads(IMPORTED),
          }),
        });
        const { imported } = await response.json();
        if (imported !== IMPORTED) throw new Error(`${imported} of ${IMPORTED} were imported`);
      }
      return IMPORTS * IMPORTED;
    },
    // A conversation for each connection, because the texts of one wait for each other.
    "text of 100 characters": async () => {
      const counts = await Promise.all(
        Array.from({ length: CONNECTIONS }, (_, i) =>
          call("receive_sms", {
            recruit_phone: `+120255501${10 + i}`,
            service_phone: "+12025550199",
            message_sid: "SM{id}",
            body: "Hello text".repeat(10),
            media: [],
          }, 1)),
      );
      return counts.reduce((sum, count) => sum + count);
    },
    "callback": () =>
      call("update_sms_status", {
        message_sid: "SM{id}",
        provider_status: "delivered",
        error_code: null,
      }),
    "entry of the journal": () => post(ingestUrl, vendorKey, withoutName, 400),
  };
}

/** What one row costs, by a load of many. */
async function costOf({ sql }: BenchStack, send: () => Promise<number>) {
  const read = async () => {
    const [size] = await sql<[{ disk: number; indexes: number; wal: number }]>`
      select
        sum(pg_total_relation_size(oid))::float8 as disk, sum(pg_indexes_size(oid))::float8 as indexes,
        (pg_current_wal_lsn() - '0/0')::float8 as wal
      from pg_class where relkind = 'r' and relnamespace in ('public'::regnamespace, 'private'::regnamespace)`;
    return { ...size, cpu: stackCpu() };
  };
  const before = await read();
  let connections = 0;
  const watch = setInterval(async () => {
    const [{ count }] = await sql<[{ count: number }]>`
      select count(*)::integer from pg_stat_activity where backend_type = 'client backend'`;
    connections = Math.max(connections, count);
  }, 500);
  const rows = await send();
  clearInterval(watch);
  const perRow = cpuSince(before.cpu, rows);
  const after = await read();
  const cpu = Object.entries(PARTS)
    .map(([part, name]) => [name, `${perRow[part as keyof typeof PARTS].toFixed(2)} ms`]);
  const bytes = (count: number) => `${Math.round(count / rows).toLocaleString("en")} B`;
  const columns: Record<string, string> = {
    "disk": bytes(after.disk - before.disk),
    "of this indexes": bytes(after.indexes - before.indexes),
    "WAL": bytes(after.wal - before.wal),
    ...Object.fromEntries(cpu),
  };
  return { columns, connections };
}
