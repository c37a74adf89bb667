import { readdirSync, readFileSync } from "node:fs";
import { createAgency } from "./agency.ts";
import { recruit, salesLeads } from "./leads.ts";
import { generateLoad } from "./load.ts";
import type { Benchmark } from "./measurement.ts";
import { markdownTable } from "./report.ts";
import { type BenchStack, startStack } from "./stacks.ts";

const CONNECTIONS = 16;
const REQUESTS = 4_000;
const IMPORTS = 4;
const IMPORTED = 1_000;

/** The parts of the stack by the names of their processes. The gateway runs the functions. */
const PARTS = { postgres: "Postgres", postgrest: "PostgREST", deno: "function" } as const;
type Part = keyof typeof PARTS;

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
  async run() {
    const stack = await startStack();
    const senders = await createSenders(stack);
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
async function createSenders(stack: BenchStack): Promise<Record<string, () => Promise<number>>> {
  const { agencyId, agentId, vendorKey } = await createAgency(stack.sql);
  await stack.sql`
    insert into recruiting_conversations (agency_id, recruit_phone, service_phone)
    select ${agencyId}, '+120255501' || n, '+12025550199' from generate_series(10, 9 + ${CONNECTIONS}::integer) n`;
  const post = async (
    url: string,
    key: string,
    body: object,
    status: number,
    { connections = CONNECTIONS, requests = REQUESTS } = {},
  ) => {
    await generateLoad({
      connections,
      requests,
      warmUp: 0,
      url,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      status,
    });
    return requests;
  };
  const ingestUrl = `${stack.functions_url}/recruiting/ingest`;
  // Straight on PostgREST, because these routes want a signature of each request.
  const call = (name: string, body: object, load = {}) =>
    post(`${stack.restUrl}/rpc/${name}`, stack.service_role_key, body, 200, load);
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
      const load = { connections: 1, requests: REQUESTS / CONNECTIONS };
      await Promise.all(Array.from({ length: CONNECTIONS }, (_, i) =>
        call("receive_sms", {
          recruit_phone: `+120255501${10 + i}`,
          service_phone: "+12025550199",
          message_sid: "SM{id}",
          body: "Hello text".repeat(10),
          media: [],
        }, load)));
      return REQUESTS;
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
    return { ...size, cpu: cpuMilliseconds() };
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
  const after = await read();
  const cpu = Object.entries(PARTS).map(([part, name]) => [
    name,
    `${((after.cpu[part as Part] - before.cpu[part as Part]) / rows).toFixed(2)} ms`,
  ]);
  const bytes = (count: number) => `${Math.round(count / rows).toLocaleString("en")} B`;
  const columns: Record<string, string> = {
    "disk": bytes(after.disk - before.disk),
    "of this indexes": bytes(after.indexes - before.indexes),
    "WAL": bytes(after.wal - before.wal),
    ...Object.fromEntries(cpu),
  };
  return { columns, connections };
}

/** The CPU time that the stack's processes have taken, by the parts of the stack. For Linux, from /proc. */
function cpuMilliseconds(): Record<Part, number> {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      // proc(5): the name is in parentheses and may hold anything; the fields after it are counted from its end.
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
      const fields = rest!.split(" ");
      return [{ pid, name: name!, parent: fields[1]!, ticks: fields.slice(11, 15).map(Number) }];
    } catch {
      return []; // It has ended meanwhile.
    }
  });
  const own = new Set([String(Deno.pid)]);
  const cpu = { postgres: 0, postgrest: 0, deno: 0 };
  for (let grown = -1; grown < own.size;) {
    grown = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  for (const { pid, name, ticks } of processes) {
    if (own.has(pid) && pid !== String(Deno.pid) && name in cpu) {
      cpu[name as Part] += 10 * ticks.reduce((sum, value) => sum + value);
    }
  }
  return cpu;
}
