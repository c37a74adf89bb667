/** `npm run reset`: empties the data folder, so that the next start makes everything anew. */
import { existsSync } from "node:fs";
import { readLocation, stackCommand } from "./options.ts";
import { emptyDataDir } from "../empty.ts";

const { dataDir } = readLocation(
  stackCommand("npm run reset", "Empties the data folder: the next start makes everything anew."),
);
if (!existsSync(dataDir)) {
  console.log(`There is nothing to reset: no ${dataDir}`);
  Deno.exit(0);
}
try {
  console.log(
    await emptyDataDir(dataDir)
      ? `Emptied ${dataDir}: the database, stored objects, generated secrets and logs are gone. npm start makes new ones.`
      : `There was nothing to reset in ${dataDir}`,
  );
} catch (error) {
  console.error((error as Error).message);
  Deno.exit(1);
}
