import { join } from "node:path";
import { ROOT } from "../local/mod.ts";

/** Where the functions find their own version and that of the database they need. Relative to the checkout. */
export const VERSION_MODULE = "supabase/functions/_shared/version.ts";

/** The text of {@link VERSION_MODULE}, from package.json and the names of the migrations. */
export function versionModule(root = ROOT): string {
  const { version } = JSON.parse(Deno.readTextFileSync(join(root, "package.json")));
  const newest = Array.from(Deno.readDirSync(join(root, "supabase/migrations")), ({ name }) => name)
    .filter((name) => name.endsWith(".sql")).sort().at(-1)!;
  return `/** Version of the functions: that of package.json. */
export const VERSION = "${version}";

/** The migration that the functions need, by its version. \`npm run migration\` writes it. */
export const NEWEST_MIGRATION = "${newest.split("_")[0]}";
`;
}
