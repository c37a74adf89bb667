import { migrationFiles } from "../scripts/migration/files.ts";
import { withScratch } from "../scripts/migration/scratch.ts";
import { measureGrowth } from "./distribution_growth.ts";
import { measureRates } from "./distribution_rates.ts";
import type { Benchmark } from "./measurement.ts";
import { startStack } from "./stacks.ts";

/** What it costs to hand a lead out, with a slow disk, with callers that hinder each other, and with much to choose from. */
export const distribution: Benchmark = {
  name: "distribution",
  title:
    "ingest_recruiting_lead with an order open, and with many orders, agents and capped orders",
  async run() {
    const stack = await startStack();
    return await withScratch(stack.db_url, async (scratch) => {
      const newDatabase = () => scratch.build(migrationFiles());
      return [...await measureRates(newDatabase), ...await measureGrowth(newDatabase)];
    });
  },
};
