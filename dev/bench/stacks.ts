import type postgres from "postgres";
import { connect } from "../local/mod.ts";
import { startThrowawayStack, type ThrowawayStack } from "../testing/throwaway_stack.ts";

/** A stack of its own, with one connection to its database as the owner of everything. */
export interface OwnStack extends ThrowawayStack {
  sql: postgres.Sql;
}

const running: OwnStack[] = [];

/** Starts one. {@link stopStacks} stops it, and so does a signal that ends the program. */
export async function startStack(): Promise<OwnStack> {
  const stack = await startThrowawayStack({}, { waitsForDisk: true });
  const sql = connect(stack.db_url);
  const stop = async () => {
    await sql.end();
    await stack.stop();
  };
  running.push({ ...stack, sql, stop });
  return running.at(-1)!;
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
