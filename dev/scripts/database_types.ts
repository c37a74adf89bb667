import { join } from "node:path";
import { ROOT, SUPABASE_CLI } from "../local/mod.ts";

/** Where the functions find the types of the database. Relative to the checkout. */
export const DATABASE_TYPES = "supabase/functions/_shared/database.types.ts";

/** Generates the types of the schema `public` with the Supabase CLI, formatted as the rest of the code. */
export async function generateDatabaseTypes(dbUrl: string): Promise<string> {
  const types = await output(
    SUPABASE_CLI,
    ["gen", "types", `--remote=${dbUrl}?sslmode=disable`, "--schema", "public", "--agent", "no"],
  );
  return await output(
    Deno.execPath(),
    ["fmt", "--quiet", "--config", join(ROOT, "deno.json"), "--ext", "ts", "-"],
    types,
  );
}

async function output(command: string, args: string[], input = ""): Promise<string> {
  const child = new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ success, stdout, stderr }] = await Promise.all([
    child.output(),
    new Blob([input]).stream().pipeTo(child.stdin),
  ]);
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}
