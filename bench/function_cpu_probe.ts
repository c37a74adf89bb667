/** The process behind function_cpu.ts: prints the CPU seconds of three imports, one after another. */
import process from "node:process";
import { salesLeads } from "./leads.ts";

const [agency_id, agent_id] = Deno.args;
const LEADS = 10_000;
const log = console.log;
console.log = () => {};

const { default: api } = await import("../supabase/functions/api/index.ts");
const taken: number[] = [];
for (let request = 0; request < 3; request++) {
  const body = JSON.stringify({ agency_id, agent_id, leads: salesLeads(LEADS) });
  const headers = {
    "content-type": "application/json",
    "x-api-key": Deno.env.get("LEADS_IMPORT_API_KEY")!,
  };
  const sent = new Request("http://functions.internal/api/leads/import", {
    method: "POST",
    headers,
    body,
  });
  const before = process.cpuUsage();
  const answer = await (await api.fetch(sent)).text();
  const { user, system } = process.cpuUsage(before);
  if (JSON.parse(answer).imported !== LEADS) throw new Error(answer);
  taken.push((user + system) / 1e6);
}
log(JSON.stringify(taken));
