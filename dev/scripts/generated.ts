import { join } from "node:path";
import { ROOT, runToEnd, SUPABASE_CLI } from "../local/mod.ts";
import { SCHEMA_PAGE, schemaPage } from "./schema_page.ts";

const TYPES = "supabase/functions/_shared/database.types.ts";
const VERSION = "supabase/functions/_shared/version.ts";

/**
 * Files that are written from the database: its types and its newest migration for the functions, and the page of its
 * tables.
 *
 * @param dbUrl a database that all migrations were applied to
 * @returns the text of each file by its path, relative to the checkout
 */
export async function generateModules(dbUrl: string, root = ROOT): Promise<Record<string, string>> {
  return {
    [TYPES]: await databaseTypes(dbUrl),
    [VERSION]: versionModule(root),
    [SCHEMA_PAGE]: await schemaPage(dbUrl, root),
  };
}

/** Writes what {@link generateModules} returns, and returns the paths. */
export async function writeGeneratedModules(dbUrl: string, root = ROOT): Promise<string[]> {
  const modules = Object.entries(await generateModules(dbUrl, root));
  for (const [path, text] of modules) Deno.writeTextFileSync(join(root, path), text);
  return modules.map(([path]) => path);
}

/** The types of the schema `public` by the Supabase CLI, formatted as the rest of the code. */
async function databaseTypes(dbUrl: string): Promise<string> {
  const args = [`--remote=${dbUrl}?sslmode=disable`, "--schema", "public", "--agent", "no"];
  const types = await output(SUPABASE_CLI, ["gen", "types", ...args]);
  const config = join(ROOT, "deno.json");
  return output(Deno.execPath(), ["fmt", "--quiet", "--config", config, "--ext", "ts", "-"], types);
}

async function output(command: string, args: string[], input?: string): Promise<string> {
  const { code, out, err } = await runToEnd(command, args, {}, input);
  if (code !== 0) throw new Error(err);
  return out;
}

/** From package.json and the names of the migrations. */
function versionModule(root: string): string {
  const { version } = JSON.parse(Deno.readTextFileSync(join(root, "package.json")));
  const newest = Array.from(Deno.readDirSync(join(root, "supabase/migrations")), ({ name }) => name)
    .filter((name) => name.endsWith(".sql")).sort().at(-1)!;
  return `/** Version of the functions: that of package.json. */
export const VERSION = "${version}";

/** The migration that the functions need, by its version. \`npm run migration\` writes it. */
export const NEWEST_MIGRATION = "${newest.split("_")[0]}";
`;
}
