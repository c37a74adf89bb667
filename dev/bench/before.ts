import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../local/mod.ts";
import { createOrder, createVendor } from "./agency.ts";
import { costOfLead } from "./ingest_lead.ts";
import { recruit } from "./leads.ts";
import { generateLoad, jsonHeaders } from "./load.ts";
import { type Budget, inTurns, type Measurement, ratio } from "./measurement.ts";
import { startIsolate, startStack } from "./stacks.ts";

const ISOLATES = 8;

/** One of the two versions, with what is sent to it. */
type Version = Awaited<ReturnType<typeof startVersion>>;

/**
 * The cost of a lead that hardly shares its call with others, against an earlier version of this repository.
 *
 * @param ref in git. The packages are those of this version
 */
export async function compareWithBefore(ref: string, seconds: number): Promise<Measurement[]> {
  const folder = await checkOut(ref);
  const now = await startVersion(ROOT);
  const before = await startVersion(folder);
  before.beforeStop(() => Deno.remove(folder, { recursive: true }));

  const measurements: Measurement[] = [];
  const compare = async (
    what: string,
    budget: Budget,
    measure: (version: Version) => Promise<number>,
    describe = (rate: number) => `${rate.toFixed(0)} a second`,
  ) => {
    const sides = await inTurns({ now: () => measure(now), before: () => measure(before) });
    const name = `ingest, ${what} / before`;
    measurements.push(ratio(name, [sides.now, sides.before], budget, describe));
  };
  for (const kind of ["no order", "an order"] as const) {
    const send = async ({ vendors }: Version, urls: string[], connections: number) => {
      const headers = jsonHeaders(vendors[kind].vendorKey);
      const load = { urls, headers, body: JSON.stringify(recruit("{id}")), status: 201 };
      return (await generateLoad({ ...load, connections, seconds })).rate;
    };
    await compare(
      `${kind}, one connection`,
      { atLeast: 0.95 },
      (version) => send(version, [version.gateway], 1),
    );
    await compare(
      `${kind}, ${ISOLATES} isolates with 2 connections each`,
      { atLeast: 0.95 },
      (version) => send(version, version.isolates, 2 * ISOLATES),
    );
    await compare(
      `${kind}, CPU of Postgres for a call with one lead`,
      { atMost: 1 },
      async ({ sql, vendors }) => (await costOfLead(sql, vendors[kind])).cost,
      (cost) => `${(1e6 * cost).toFixed(0)} µs`,
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

async function startVersion(folder: string) {
  // An earlier version has testing/ at its root.
  const testing = ["dev/testing", "testing"].find((name) => existsSync(join(folder, name)))!;
  const { startThrowawayStack } = await import(
    pathToFileURL(join(folder, testing, "throwaway_stack.ts")).href
  );
  const stack = await startStack(startThrowawayStack);
  const { sql, beforeStop } = stack;
  const vendors = {
    "an order": await createOrder(sql),
    "no order": await createVendor(sql, "unwanted"),
  };
  const isolates = await Promise.all(
    Array.from({ length: ISOLATES }, async () => {
      const { url, stop } = await startIsolate(stack, "recruiting", folder);
      beforeStop(stop);
      return `${url}/recruiting/ingest`;
    }),
  );
  return {
    sql,
    beforeStop,
    vendors,
    isolates,
    gateway: `${stack.functions_url}/recruiting/ingest`,
  };
}
