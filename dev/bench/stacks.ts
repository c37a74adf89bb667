import { join } from "node:path";
import type postgres from "postgres";
import { connect, ROOT } from "../local/mod.ts";
import { startThrowawayStack, type ThrowawayStack } from "../testing/throwaway_stack.ts";
import { denoArgs, startServer } from "./probe.ts";

/** A stack of its own, with one connection to its database as the owner of everything. */
export interface OwnStack extends ThrowawayStack {
  sql: postgres.Sql;
  /** Has something else stopped before the stack, e.g. a server that uses its database. */
  beforeStop(stop: () => Promise<unknown>): void;
}

const running: OwnStack[] = [];

/**
 * Starts one. {@link stopStacks} stops it, and so does a signal that ends the program.
 *
 * @param start starts the stack of another version
 */
export async function startStack(start = startThrowawayStack): Promise<OwnStack> {
  const stack = await start({}, { waitsForDisk: true });
  const sql = connect(stack.db_url);
  const stops = [() => sql.end()];
  running.push({
    ...stack,
    sql,
    beforeStop: (stop) => stops.push(async () => void await stop()),
    async stop() {
      for (const stop of stops.toReversed()) await stop();
      await stack.stop();
    },
  });
  return running.at(-1)!;
}

/**
 * Starts a process with one function alone, as an isolate of the platform has it. It calls PostgREST without a gateway.
 *
 * @param checkout another version of this repository
 */
export async function startIsolate(stack: OwnStack, name: string, checkout = ROOT) {
  const index = join(checkout, "supabase/functions", name, "index.ts");
  const args = denoArgs("isolate.ts", [index, stack.restUrl], ["--unstable-no-legacy-abort"]);
  const { pid, printed, stop } = await startServer(Deno.execPath(), args, {
    SUPABASE_URL: stack.api_url,
    SUPABASE_ANON_KEY: stack.anon_key,
    SUPABASE_SERVICE_ROLE_KEY: stack.service_role_key,
    LEADS_IMPORT_API_KEY: stack.leads_import_api_key,
  });
  return { pid, url: `http://127.0.0.1:${printed}`, stop };
}

/** Stops every stack that was started and removes its data. */
export async function stopStacks(): Promise<void> {
  await Promise.all(running.splice(0).map((stack) => stack.stop()));
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  Deno.addSignalListener(signal, async () => {
    await stopStacks();
    Deno.exit(1);
  });
}
