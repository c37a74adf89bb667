/** `npm run reset`: empties the data folder, so that the next start makes everything anew. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lockDataDir } from "../processes/lock.ts";
import { readLocation, stackCommand } from "./options.ts";
import { endLeftovers } from "../processes/leftovers.ts";

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

const { dataDir } = readLocation(
  stackCommand("npm run reset", "Empties the data folder: the next start makes everything anew."),
);
if (!existsSync(dataDir)) {
  console.log(`There is nothing to reset: no ${dataDir}`);
  Deno.exit(0);
}
const lock = lockDataDir(dataDir);
if (!lock) {
  console.error(`A stack is running with the data folder ${dataDir}. Stop it first.`);
  Deno.exit(1);
}
await endLeftovers(dataDir);
const removed = OWN.filter((name) => existsSync(join(dataDir, name)));
removed.forEach((name) => rmSync(join(dataDir, name), { recursive: true, force: true }));
lock.release();
console.log(
  removed.length > 0
    ? `Emptied ${dataDir}: the database, stored objects, generated secrets and logs are gone. npm start makes new ones.`
    : `There was nothing to reset in ${dataDir}`,
);
