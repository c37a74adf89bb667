import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ROOT } from "../local/mod.ts";
import { createOrder, createVendor, type Vendor } from "./agency.ts";
import { costOfLead } from "./ingest_lead.ts";
import { recruit } from "./leads.ts";
import { generateLoad, jsonHeaders } from "./load.ts";
import { type Budget, inTurns, type Measurement, median, ratios } from "./measurement.ts";
import { type BenchStack, startStack } from "./stacks.ts";

const ROUNDS = 7;
const ISOLATES = 8;

/** One of the two versions, with what is sent to it. */
interface Version {
  stack: BenchStack;
  isolates: string[];
  vendors: Record<Kind, Vendor>;
}
type Kind = "no order" | "an order";

/**
 * What a lead costs where others hardly go with it, against an earlier version of this repository.
 *
 * @param ref in git. The packages are those of this version
 */
export async function compareWithBefore(ref: string, seconds: number): Promise<Measurement[]> {
  const folder = await checkOut(ref);
  const now = await startVersion(ROOT);
  const before = await startVersion(folder);
  before.stack.beforeStop(() => Deno.remove(folder, { recursive: true }));

  const measurements: Measurement[] = [];
  const compare = async (
    what: string,
    measure: (version: Version) => Promise<number>,
    budget: Budget,
    describe: (values: number[]) => string,
  ) => {
    const values = await inTurns(ROUNDS, {
      now: () => measure(now),
      before: () => measure(before),
    });
    measurements.push({
      what: `ingest, ${what} / before`,
      rounds: ratios(values.now, values.before),
      unit: "×",
      budget,
      detail: `${describe(values.now)} and ${describe(values.before)}`,
    });
  };
  const perSecond = (rates: number[]) => `${median(rates).toFixed(0)} a second`;
  const micros = (costs: number[]) => `${(1e6 * median(costs)).toFixed(0)} µs`;
  for (const kind of ["no order", "an order"] as const) {
    const send = async (urls: string[], connections: number, { vendors }: Version) => {
      const headers = jsonHeaders(vendors[kind].vendorKey);
      const load = { urls, headers, body: JSON.stringify(recruit("{id}")), status: 201 };
      return (await generateLoad({ ...load, connections, seconds })).rate;
    };
    await compare(
      `${kind}, one connection`,
      (version) => send([`${version.stack.functions_url}/recruiting/ingest`], 1, version),
      { atLeast: 0.95 },
      perSecond,
    );
    await compare(
      `${kind}, ${ISOLATES} isolates with 2 connections each`,
      (version) => send(version.isolates, 2 * ISOLATES, version),
      { atLeast: 0.95 },
      perSecond,
    );
    await compare(
      `${kind}, CPU of Postgres for a call with one lead`,
      async ({ stack, vendors }) => (await costOfLead(stack.sql, vendors[kind])).cost,
      { atMost: 1 },
      micros,
    );
  }
  return measurements;
}

/** Puts the files of a version into a temporary folder. */
async function checkOut(ref: string): Promise<string> {
  const folder = Deno.makeTempDirSync({ prefix: "lead-intake-before-" });
  const { success } = await new Deno.Command("sh", {
    args: ["-c", 'git archive "$1" | tar -x -C "$2"', "sh", ref, folder],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`git has no version ${ref}`);
  Deno.symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

async function startVersion(folder: string): Promise<Version> {
  const { startThrowawayStack } = await import(
    pathToFileURL(join(folder, "testing/throwaway_stack.ts")).href
  );
  const stack = await startStack(startThrowawayStack);
  const order = await createOrder(stack.sql);
  const unwanted = await createVendor(stack.sql, "unwanted");
  const isolates = Array.from({ length: ISOLATES }, () => startIsolate(folder, stack));
  return {
    stack,
    isolates: await Promise.all(isolates),
    vendors: { "no order": unwanted, "an order": order },
  };
}

/** Starts a process with the function alone, and returns the URL of the route. */
async function startIsolate(folder: string, stack: BenchStack): Promise<string> {
  const index = join(folder, "supabase/functions/recruiting/index.ts");
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-check", "--allow-all"],
      ...[fileURLToPath(new URL("isolate.ts", import.meta.url)), index, stack.restUrl],
    ],
    cwd: folder,
    env: {
      SUPABASE_URL: stack.api_url,
      SUPABASE_ANON_KEY: stack.anon_key,
      SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
    },
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  stack.beforeStop(async () => {
    child.kill();
    await child.status;
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const port = Number(new TextDecoder().decode(value));
  // Its log, which would fill the pipe.
  void (async () => {
    while (!(await reader.read()).done);
  })();
  return `http://127.0.0.1:${port}/recruiting/ingest`;
}
