import { ROOT } from "../../local/mod.ts";
import { compareDatabases } from "./catalogue.ts";
import { BASELINE, baselineText, migrationFiles, schemaFiles } from "./files.ts";
import { withScratch } from "./scratch.ts";

/**
 * Says that `supabase/schemas` has what `supabase/migrations` lack, on which the tests run, and which command writes
 * it. Returns undefined where both make the same database.
 *
 * @param dbUrl a server on which the databases are made, once there are migrations after the baseline
 */
export async function whatMigrationsLack(dbUrl: string, root = ROOT): Promise<string | undefined> {
  const migrations = migrationFiles(root);
  const hasTopics = migrations.some(({ path }) => path !== BASELINE);
  try {
    const isAhead = hasTopics
      ? await withScratch(dbUrl, async (scratch) => {
        const [from, to] = [await scratch.build(migrations), await scratch.build(schemaFiles(root))];
        return (await compareDatabases(from, to)).length > 0;
      })
      : migrations[0]?.text !== baselineText(root);
    if (!isAhead) return undefined;
  } catch (error) {
    return `supabase/schemas cannot become a migration: ${(error as Error).message}`;
  }
  const command = `npm run migration -- ${hasTopics ? "<topic>" : "--baseline"}`;
  return `supabase/schemas is ahead of supabase/migrations, on which the tests run: ${command} writes what they lack.`;
}
