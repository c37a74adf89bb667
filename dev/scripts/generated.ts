import { join } from "node:path";
import { ROOT } from "../local/mod.ts";
import { DATABASE_TYPES, generateDatabaseTypes } from "./database_types.ts";
import { SCHEMA_PAGE, schemaPage } from "./schema_page.ts";
import { VERSION_MODULE, versionModule } from "./version.ts";

/**
 * What is written from the database: its types and its newest migration for the functions, and the page of its tables.
 *
 * @param dbUrl a database that all migrations were applied to
 * @returns the text of each file by its path, relative to the checkout
 */
export async function generateModules(dbUrl: string, root = ROOT): Promise<Record<string, string>> {
  return {
    [DATABASE_TYPES]: await generateDatabaseTypes(dbUrl),
    [VERSION_MODULE]: versionModule(root),
    [SCHEMA_PAGE]: await schemaPage(dbUrl, root),
  };
}

/** Writes what {@link generateModules} returns, and returns the paths. */
export async function writeGeneratedModules(dbUrl: string, root = ROOT): Promise<string[]> {
  const modules = Object.entries(await generateModules(dbUrl, root));
  for (const [path, text] of modules) Deno.writeTextFileSync(join(root, path), text);
  return modules.map(([path]) => path);
}
