import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";

/** The folder of the edge functions, absolute. */
export const FUNCTIONS_FOLDER = join(ROOT, "supabase/functions");

/** The names of the edge functions: the folders with an `index.ts`. */
export const FUNCTION_NAMES: string[] = Array.from(
  Deno.readDirSync(FUNCTIONS_FOLDER),
  ({ name }) => name,
).filter((name) => existsSync(join(FUNCTIONS_FOLDER, name, "index.ts"))).sort();
