/** The time and code that a new isolate takes before its first response. */
import { bundleFunctions } from "../scripts/deploy/bundle.ts";
import { type Benchmark, type Measurement } from "./measurement.ts";
import { probe } from "./probe.ts";

const RUNS = 7;
const ROUTES = {
  recruiting: "/recruiting/ingest",
  api: "/api/leads/import",
  texting: "/texting/work",
};

/** The wait of a new isolate's first caller. */
export const coldStart: Benchmark = {
  name: "cold-start",
  title: "The first response of each function in a new process, process start aside",
  async run() {
    const measurements: Measurement[] = [];
    for (const [name, route] of Object.entries(ROUTES)) {
      const times: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        // On the platform a new isolate has no code cache of an earlier one either.
        times.push(await probe("cold_start_probe.ts", [name, route], ["--no-code-cache"]));
      }
      measurements.push({
        what: `${name}: from import to the first response`,
        rounds: times,
        unit: "ms",
        budget: { atMost: 250 },
        detail: `${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`,
      });
    }
    return measurements;
  },
};

/** The code that it loads, also the parts that it imports only when needed. */
export const codeSize: Benchmark = {
  name: "code-size",
  title: "Each function in one file, as `npm run deploy` sends it",
  async run() {
    const folder = Deno.makeTempDirSync();
    try {
      return (await bundleFunctions(folder)).map(({ name, bytes }): Measurement => ({
        what: `${name}: bundled code`,
        rounds: [bytes / 1e6],
        unit: "MB",
        budget: { atMost: 1 },
        detail: `${bytes.toLocaleString("en")} bytes`,
      }));
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
};
