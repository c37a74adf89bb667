/**
 * `npm run types`: writes the types of the database that the migrations make, the version that the functions need, and
 * the page of the tables.
 */
import { writeGeneratedModules } from "./generated.ts";
import { migrationFiles } from "./migration/files.ts";
import { withScratch } from "./migration/scratch.ts";
import { withServer } from "./migration/server.ts";

console.log("Building the database from supabase/migrations");
const paths = await withServer((dbUrl) =>
  withScratch(dbUrl, async (scratch) => writeGeneratedModules(await scratch.build(migrationFiles())))
);
for (const path of paths) console.log(`Wrote ${path}`);
