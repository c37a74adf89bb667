import { globSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../local/mod.ts";

/** A file of SQL, with its path as a person knows it. */
export interface SqlFile {
  /** Relative to the root of the checkout. */
  path: string;
  text: string;
}

export const MIGRATIONS = "supabase/migrations";

/** The first migration: all of `supabase/schemas`. */
export const BASELINE = `${MIGRATIONS}/20261121000000_baseline.sql`;

/**
 * The files of `supabase/schemas`, in the order in which they apply: that of `schema_paths` in `supabase/config.toml`.
 *
 * @throws {Error} where that list lacks a file
 */
export function schemaFiles(root = ROOT): SqlFile[] {
  const config = Deno.readTextFileSync(join(root, "supabase/config.toml"));
  const [, list] = /^schema_paths = \[([^\]]*)\]/m.exec(config) ?? [];
  if (!list) throw new Error("supabase/config.toml has no schema_paths");
  const patterns = Array.from(list.matchAll(/"\.\/(.+)"/g), ([, path]) => `supabase/${path}`);
  // A file that several patterns match applies where the first one stands, as `supabase db diff` has it.
  const paths = [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root }).sort()))];
  const missing = globSync("supabase/schemas/**/*.sql", { cwd: root })
    .filter((path) => !paths.includes(path));
  if (missing.length > 0) {
    throw new Error(`schema_paths of supabase/config.toml lacks ${missing.join(", ")}`);
  }
  return paths.map((path) => readFile(root, path));
}

/** The migrations, in the order in which they apply. */
export function migrationFiles(root = ROOT): SqlFile[] {
  return Array.from(Deno.readDirSync(join(root, MIGRATIONS)), ({ name }) => name)
    .filter((name) => name.endsWith(".sql"))
    .sort()
    .map((name) => readFile(root, `${MIGRATIONS}/${name}`));
}

/** The rows that a local database begins with. */
export function seedFile(): SqlFile {
  return readFile(ROOT, "supabase/seed.sql");
}

function readFile(root: string, path: string): SqlFile {
  return { path, text: Deno.readTextFileSync(join(root, path)) };
}

/** The text of {@link BASELINE}: the files of `supabase/schemas` one after the other. */
export function baselineText(root = ROOT): string {
  const header = `-- supabase/schemas, one file after the other, in the order of supabase/config.toml.
-- Written by \`npm run migration -- --baseline\` until the first deployment, and never changed after it.
`;
  return schemaFiles(root).reduce(
    (text, file) => `${text}\n-- ${file.path}\n\n${file.text}`,
    header,
  );
}

/** The fault of a migration's topic, or undefined. */
export function topicProblem(topic: string | undefined): string | undefined {
  if (!topic) return "A migration needs a topic.";
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(topic) || topic.length > 60) {
    return `"${topic}" is no topic: use lower-case words with underscores, such as daily_cap.`;
  }
}

/**
 * The path of a new migration. Its timestamp is the present time in UTC, or one second after the last migration, so
 * that it is always the last.
 */
export function newMigrationPath(topic: string, existing: SqlFile[], now = new Date()): string {
  const last = existing.map(({ path }) => /\/(\d{14})_/.exec(path)?.[1] ?? "").sort().at(-1) ?? "";
  const present = timestamp(now);
  const time = present > last ? present : timestamp(new Date(parseTimestamp(last) + 1000));
  return `${MIGRATIONS}/${time}_${topic}.sql`;
}

function timestamp(time: Date): string {
  return time.toISOString().replace(/[^0-9]/g, "").slice(0, 14);
}

function parseTimestamp(text: string): number {
  return Date.parse(text.replace(/(....)(..)(..)(..)(..)(..)/, "$1-$2-$3T$4:$5:$6Z"));
}
