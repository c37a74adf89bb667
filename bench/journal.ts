import { createAgency } from "./agency.ts";
import { recruit } from "./leads.ts";
import { generateLoad, type Load } from "./load.ts";
import { type Benchmark, inTurns, median, ratios } from "./measurement.ts";
import { startStack } from "./stacks.ts";

const ROUNDS = 7;
const REQUESTS = 1_000;

/** What the records of where a lead came from, of duplicates and of refusals cost. */
export const journal: Benchmark = {
  name: "journal",
  title: "POST /recruiting/ingest, 16 connections: a duplicate and a refusal beside a new lead",
  async run() {
    const stack = await startStack();
    const { vendorKey } = await createAgency(stack.sql);
    const load = (body: object, status: number): Load => ({
      connections: 16,
      requests: REQUESTS,
      warmUp: 100,
      url: `${stack.functions_url}/recruiting/ingest`,
      headers: { authorization: `Bearer ${vendorKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      status,
    });
    const { first_name: _, ...withoutName } = recruit("{id}");
    const loads = {
      accepted: load(recruit("{id}"), 201),
      duplicate: load(recruit("one lead"), 200),
      refused: load(withoutName, 400),
    };
    await generateLoad({ ...loads.duplicate, requests: 1, warmUp: 0, connections: 1, status: 201 });

    const rates = await inTurns(ROUNDS, {
      accepted: async () => (await generateLoad(loads.accepted)).rate,
      duplicate: async () => (await generateLoad(loads.duplicate)).rate,
      refused: async () => (await generateLoad(loads.refused)).rate,
    });
    const perSecond = (rate: number[]) => `${median(rate).toFixed(0)} a second`;
    return (["duplicate", "refused"] as const).map((kind) => ({
      what: `journal: ${kind} / accepted`,
      rounds: ratios(rates[kind], rates.accepted),
      unit: "×",
      budget: { atLeast: 0.8 },
      detail: `${perSecond(rates[kind])} and ${perSecond(rates.accepted)}`,
    }));
  },
};
