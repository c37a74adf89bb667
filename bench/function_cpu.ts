import { createAgency } from "./agency.ts";
import { type Benchmark, median } from "./measurement.ts";
import { probe } from "./probe.ts";
import { startStack } from "./stacks.ts";

const RUNS = 5;

/** What the function itself computes, of which the platform allows a request 2 s. */
export const functionCpu: Benchmark = {
  name: "function-cpu",
  title: "CPU time of the function for an import of 10,000 leads, in a process of its own",
  async run() {
    const stack = await startStack();
    const { agencyId, agentId } = await createAgency(stack.sql);
    const env = {
      SUPABASE_URL: stack.api_url,
      SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
      LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
    };
    const runs: number[][] = [];
    for (let run = 0; run < RUNS; run++) {
      runs.push(await probe("function_cpu_probe.ts", [agencyId, agentId], env));
    }
    const [second, third] = [1, 2].map((request) =>
      median(runs.map((seconds) => seconds[request]!)).toFixed(2)
    );
    return [{
      what: "user and system time of the first import in an isolate",
      rounds: runs.map(([first]) => first!),
      unit: "s",
      budget: { atMost: 0.5 },
      detail: `the second took ${second} s, the third ${third} s`,
    }];
  },
};
