/** `npm run types`: writes the types of the database that the migrations make, and the version that the functions need. */
import { startThrowawayStack } from "../testing/throwaway_stack.ts";
import { DATABASE_TYPES, generateDatabaseTypes } from "./database_types.ts";
import { VERSION_MODULE, versionModule } from "./version.ts";

console.log("Applying the migrations to a stack of its own");
const stack = await startThrowawayStack();
try {
  Deno.writeTextFileSync(DATABASE_TYPES, await generateDatabaseTypes(stack.db_url));
} finally {
  await stack.stop();
}
console.log(`Wrote ${DATABASE_TYPES}`);
Deno.writeTextFileSync(VERSION_MODULE, versionModule());
console.log(`Wrote ${VERSION_MODULE}`);
