import { createOrder, createVendor } from "./agency.ts";
import { parsedRecruit, recruit } from "./leads.ts";
import { generateLoad, jsonHeaders, type Load } from "./load.ts";
import { type Benchmark, inTurns, type Measurement, median, ratio } from "./measurement.ts";
import { createPlainRpc } from "./plain_rpc.ts";
import { cpuSince, PARTS, type StackCpu, stackCpu } from "./cpu.ts";
import { type OwnStack, startStack } from "./stacks.ts";

/** The kinds of requests, each on both sides of some ratio. */
const SIDES = {
  none: "no order",
  order: "an order",
  duplicate: "a duplicate",
  refusal: "a refusal",
  phone: "a rule for phones",
  person: "a rule for phones and e-mail addresses",
  plain: "plain rpc",
};
type Side = keyof typeof SIDES;

/** The compared figures: requests a second, or the milliseconds that a response takes. */
type Compared = { rates: [Side, Side, atLeast: number][] } | { latencies: [Side, Side, atMost: number][] };

/** The ratios at so many connections, where a commit takes so many milliseconds longer than the disk needs. */
const CASES: ({ connections: number; latency: number } & Compared)[] = [
  {
    connections: 16,
    latency: 0,
    rates: [["none", "plain", 1.4], ["order", "plain", 1.05], ["duplicate", "order", 0.8], ["refusal", "order", 0.8]],
  },
  { connections: 64, latency: 0, rates: [["none", "plain", 3.2], ["order", "plain", 2.4], ["order", "none", 0.75]] },
  { connections: 64, latency: 1, rates: [["order", "none", 0.7]] },
  { connections: 64, latency: 3, rates: [["order", "none", 0.7]] },
  { connections: 1, latency: 0, latencies: [["order", "plain", 3]] },
];
/** At 16 connections, as a multiple of another side's. */
const MOST_CPU: [Side, Side, atMost: number][] = [
  ["none", "plain", 0.8],
  ["order", "plain", 0.75],
  ["phone", "order", 1.05],
  ["person", "order", 1.05],
];
/** What the rule for repeats of a side compares. */
const MATCH: Partial<Record<Side, string>> = { phone: "{phone}", person: "{phone,email}" };

/** The cost of a lead on top of a bare insert, and of its distribution on top of that. */
export const ingest: Benchmark = {
  name: "ingest",
  title: "POST /recruiting/ingest against one PostgREST rpc that only inserts",
  async run({ seconds }) {
    return await compareWithPlainRpc(await startStack(), seconds);
  },
};

async function compareWithPlainRpc(stack: OwnStack, seconds: number): Promise<Measurement[]> {
  const { loads, assertStored } = await prepare(stack);
  const sent: Record<Side, number> = {
    ...{ none: 0, order: 0, duplicate: 0, refusal: 0, phone: 0, person: 0, plain: 0 },
  };
  const measurements: Measurement[] = [];
  for (const { connections, latency, ...compared } of CASES) {
    await slowCommits(stack, latency);
    const [wanted, figure] = "rates" in compared
      ? [compared.rates, "rate"] as const
      : [compared.latencies, "latency"] as const;
    const cpuWanted = connections === 16 ? MOST_CPU : [];
    const sides = new Set([...wanted, ...cpuWanted].flatMap(([a, b]) => [a, b]));
    const cpus = {} as Record<Side, StackCpu[]>;
    const generator: number[] = [];
    const measure = async (side: Side) => {
      await setRule(stack, MATCH[side]);
      const before = stackCpu();
      const result = await generateLoad({ ...loads[side], connections, seconds });
      (cpus[side] ??= []).push(cpuSince(before, result.requests));
      generator.push(result.generator);
      sent[side] += result.requests;
      return result[figure];
    };
    const figures: Record<Side, number[]> = await inTurns(
      Object.fromEntries([...sides].map((side) => [side, () => measure(side)])),
    );

    const conditions = `${connections} connection${connections > 1 ? "s" : ""}` +
      (latency ? `, commits + ${latency} ms` : "") + ("latencies" in compared ? ", p50" : "");
    for (const [side, other, bound] of wanted) {
      const what = `ingest, ${conditions}: ${SIDES[side]} / ${SIDES[other]}`;
      const both: [number[], number[]] = [figures[side], figures[other]];
      measurements.push(
        figure === "rate"
          ? ratio(what, both, { atLeast: bound }, (rate) => `${rate.toFixed(0)} a second`)
          : ratio(what, both, { atMost: bound }, (ms) => `${ms.toFixed(2)} ms`),
      );
    }
    for (const [side, other, atMost] of cpuWanted) {
      const what = `ingest, ${conditions}, CPU: ${SIDES[side]} / ${SIDES[other]}`;
      const sides: [number[], number[]] = [cpus[side].map(total), cpus[other].map(total)];
      measurements.push(ratio(what, sides, { atMost }, (cpu) => `${cpu.toFixed(2)} ms`));
    }
    for (const side of sides) console.log(`CPU at ${conditions}, ${SIDES[side]}: ${describe(cpus[side])}`);
    console.log(`The load generator took ${(100 * median(generator)).toFixed(0)} % of a core`);
  }
  await assertStored(sent);
  return measurements;
}

/** The requests of each side, and a check that their leads are stored and distributed. */
async function prepare(stack: OwnStack) {
  const { sql } = stack;
  const agency = await createOrder(sql);
  const unwanted = await createVendor(sql, "unwanted");
  const plainRow = parsedRecruit("{id}");
  const rpc = await createPlainRpc(stack, "recruiting_leads", Object.keys(plainRow), {
    vendor_id: unwanted.vendorId,
    distribution: "unmatched",
    received_via: "single",
  });
  const stored = await sql<{ id: string }[]>`
    select vendor_lead_id as id from recruiting_leads where vendor_id = ${agency.vendorId} limit 1000`;

  const load = (url: string, token: string, body: object, status: number) => ({
    ...{ urls: [url], headers: jsonHeaders(token), body: JSON.stringify(body), status },
  });
  const send = (token: string, body: object, status: number) =>
    load(`${stack.functions_url}/recruiting/ingest`, token, body, status);
  const { first_name: _, ...withoutName } = recruit("{id}");
  const order = send(agency.vendorKey, recruit("{id}"), 201);
  const loads: Record<Side, Omit<Load, "connections" | "seconds">> = {
    none: send(unwanted.vendorKey, recruit("{id}"), 201),
    order,
    duplicate: { ...send(agency.vendorKey, recruit("{id}"), 200), ids: stored.map(({ id }) => id) },
    refusal: send(agency.vendorKey, withoutName, 400),
    phone: order,
    person: order,
    plain: load(rpc, stack.service_role_key, { rows: [plainRow] }, 204),
  };

  const assertStored = async (sent: Record<Side, number>) => {
    const [counts] = await sql<[{ none: number; order: number; filled: number; plain: number }]>`
      select
        (select count(*) from recruiting_leads
          where vendor_id = ${unwanted.vendorId} and distribution = 'unmatched')::integer as none,
        (select count(*) from recruiting_leads where order_id = o.id)::integer - 10000 as order,
        o.filled - 10000 as filled,
        (select count(*) from plain_recruiting_leads)::integer as plain
      from recruiting_orders o where id = ${agency.orderId}`;
    const ordered = sent.order + sent.phone + sent.person;
    const expected = [sent.none, ordered, ordered, sent.plain];
    if (Object.values(counts).join() === expected.join()) return;
    throw new Error(`stored ${JSON.stringify(counts)} of ${JSON.stringify(sent)}`);
  };
  return { loads, assertStored };
}

/** Holds repeats by this, or has no rule. Waits first until agents are notified of the leads of the side before. */
async function setRule({ sql }: OwnStack, match: string | undefined): Promise<void> {
  while ((await sql`select from private.lead_notifications_due limit 1`).length > 0) await sql`select pg_sleep(0.1)`;
  await sql`delete from repeat_rules`;
  if (match === undefined) return;
  // No time is so short that a number comes again by chance.
  await sql`insert into repeat_rules (match, within, action) values (${match}, '1 microsecond', 'hold')`;
}

/** Makes each flush of the log take longer: it waits first, and commits that come meanwhile go along. */
async function slowCommits({ sql }: OwnStack, milliseconds: number): Promise<void> {
  await sql.unsafe(`alter system set commit_delay = ${1_000 * milliseconds}`);
  await sql`alter system set commit_siblings = 0`;
  await sql`select pg_reload_conf()`;
}

function total({ postgres, postgrest, deno }: StackCpu): number {
  return postgres + postgrest + deno;
}

function describe(cpus: StackCpu[]): string {
  return Object.entries(PARTS).map(([part, name]) =>
    `${name} ${median(cpus.map((cpu) => cpu[part as keyof StackCpu])).toFixed(2)} ms`
  ).join(", ");
}
