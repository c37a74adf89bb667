import { probe } from "./probe.ts";
import { type Benchmark, type Measurement } from "./measurement.ts";

const RUNS = 7;
const ROUTES = {
  recruiting: "/recruiting/ingest",
  api: "/api/leads/import",
  texting: "/texting/work",
};

/** What the first caller of a new isolate waits for. */
export const coldStart: Benchmark = {
  name: "cold-start",
  title: "The first answer of each function in a new process, process start aside",
  async run() {
    const measurements: Measurement[] = [];
    for (const [slug, route] of Object.entries(ROUTES)) {
      const times: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        // On the platform a new isolate has no code cache of an earlier one either.
        times.push(await probe("cold_start_probe.ts", [slug, route], ["--no-code-cache"]));
      }
      measurements.push({
        what: `${slug}: from import to the first answer`,
        rounds: times,
        unit: "ms",
        budget: { atMost: 250 },
        detail: `${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} ms`,
      });
    }
    return measurements;
  },
};
