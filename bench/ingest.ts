import { createAgency } from "./agency.ts";
import { parsedRecruit, recruit } from "./leads.ts";
import { generateLoad, type Load } from "./load.ts";
import { type Benchmark, inTurns, median, ratios } from "./measurement.ts";
import { startStack } from "./stacks.ts";

const ROUNDS = 7;
const REQUESTS = 1_000;

/** What the gateway, the function and its client cost on top of the SQL functions that do the work. */
export const ingest: Benchmark = {
  name: "ingest",
  title: "POST /recruiting/ingest, 16 connections, every lead new and distributed",
  async run() {
    const stack = await startStack();
    const agency = await createAgency(stack.sql);
    const common = { connections: 16, requests: REQUESTS, warmUp: 100 };
    const gateway: Load = {
      ...common,
      url: `${stack.functions_url}/recruiting/ingest`,
      headers: headers(agency.vendorKey),
      body: JSON.stringify(recruit("{id}")),
      status: 201,
    };
    const direct: Load = {
      ...common,
      url: `${stack.restUrl}/rpc/ingest_recruiting_lead`,
      headers: headers(stack.service_role_key),
      body: JSON.stringify({ key_hash: agency.keyHash, lead: parsedRecruit("{id}") }),
      status: 200,
      // As the function does, so that both sides do the same work.
      followUp: {
        after: `"pending"`,
        url: `${stack.restUrl}/rpc/distribute_pending_leads`,
        body: `{"lead_id": "{id}"}`,
      },
    };

    const generator: number[] = [];
    const rate = async (load: Load) => {
      const result = await generateLoad(load);
      generator.push(result.generator);
      return result.rate;
    };
    const rates = await inTurns(ROUNDS, {
      gateway: () => rate(gateway),
      direct: () => rate(direct),
    });

    const sent = 2 * ROUNDS * (REQUESTS + common.warmUp);
    const [{ count }] = await stack.sql<[{ count: number }]>`
      select count(*)::integer from recruiting_leads where order_id = ${agency.orderId}`;
    if (count !== sent) throw new Error(`${sent} leads were sent, ${count} distributed`);

    return [{
      what: "ingest through the gateway / the SQL functions straight on PostgREST",
      rounds: ratios(rates.gateway, rates.direct),
      unit: "×",
      budget: { atLeast: 0.6 },
      detail:
        `${median(rates.gateway).toFixed(0)} and ${median(rates.direct).toFixed(0)} a second` +
        `; the load generator took ${(100 * median(generator)).toFixed(0)} % of a core`,
    }];
  },
};

function headers(token: string): Record<string, string> {
  return { "authorization": `Bearer ${token}`, "content-type": "application/json" };
}
