import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lockDataDir } from "./processes/lock.ts";
import { endLeftovers } from "./processes/leftovers.ts";

/** The files that the stack makes. Nothing else is removed, in case the folder was named by mistake. */
const OWN = [
  "postgres",
  "postgres.new",
  "postgres.password",
  "lite",
  "logs",
  "mail",
  "desk",
  "secrets.json",
  "stack.json",
  "processes.json",
];

/**
 * Empties the data folder of a stack, so that the next start makes everything anew.
 *
 * @returns whether there was anything to remove
 * @throws {Error} while a stack runs with it
 */
export async function emptyDataDir(dataDir: string): Promise<boolean> {
  if (!existsSync(dataDir)) return false;
  const lock = lockDataDir(dataDir);
  if (!lock) throw new Error(`A stack is running with the data folder ${dataDir}. Stop it first.`);
  await endLeftovers(dataDir);
  const removed = OWN.filter((name) => existsSync(join(dataDir, name)));
  removed.forEach((name) => rmSync(join(dataDir, name), { recursive: true, force: true }));
  lock.release();
  return removed.length > 0;
}
