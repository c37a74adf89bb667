import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT, runToEnd } from "../../local/mod.ts";
import { FUNCTION_NAMES, FUNCTIONS_FOLDER } from "../edge_functions.ts";

/** A function as one JavaScript file. */
export interface Bundle {
  name: string;
  bytes: number;
}

/**
 * Makes a folder that the Supabase CLI can deploy from: each function bundled into one file by the pinned Deno, with
 * the packages that the tests ran with, and the project's configuration. From the sources the platform would resolve
 * the packages anew and pack every one of them whole.
 *
 * @param folder an empty folder; gets `supabase/config.toml` and `supabase/functions/<name>/index.js`
 * @throws {Error} when a function cannot be bundled
 */
export async function bundleFunctions(folder: string): Promise<Bundle[]> {
  const denoDir = join(folder, "deno");
  provideEsbuild(denoDir);
  const entries = FUNCTION_NAMES.map((name) => {
    const entry = join(folder, "entries", name, "index.ts");
    Deno.mkdirSync(dirname(entry), { recursive: true });
    Deno.writeTextFileSync(entry, entryOf(join(FUNCTIONS_FOLDER, name, "index.ts")));
    return entry;
  });
  const output = join(folder, "supabase/functions");
  await denoBundle(entries, output, denoDir);
  const config = Deno.readTextFileSync(join(ROOT, "supabase/config.toml"));
  Deno.writeTextFileSync(join(folder, "supabase/config.toml"), bundledConfig(config));
  return FUNCTION_NAMES.map((name) => ({ name, bytes: Deno.statSync(join(output, name, "index.js")).size }));
}

/**
 * The project's configuration for functions that are bundles: an entry point in place of each import map.
 *
 * @throws {Error} when a function has no import map in it
 */
export function bundledConfig(config: string): string {
  return FUNCTION_NAMES.reduce((text, name) => {
    const importMap = `import_map = "./functions/${name}/deno.json"\n`;
    if (!text.includes(importMap)) throw new Error(`config.toml lacks ${importMap.trim()}`);
    return text.replace(importMap, `entrypoint = "./functions/${name}/index.js"\n`);
  }, config);
}

// Twilio's package uses Node's global Buffer. The platform's Deno gives it to npm packages only, and in a bundle the
// package is an npm package no longer.
function entryOf(module: string): string {
  return [
    `import { Buffer } from "node:buffer";`,
    "globalThis.Buffer ??= Buffer;",
    `export { default } from ${JSON.stringify(pathToFileURL(module).href)};`,
  ].join("\n");
}

/** Bundles each entry, all in one process, which reads and transpiles once what they share. */
async function denoBundle(entries: string[], output: string, denoDir: string): Promise<void> {
  // Not --keep-names: with it the bundle of Deno 2.9.5 does not start ("Dynamic require of node:crypto").
  const options = ["--quiet", "--minify", `--outdir=${output}`];
  const args = ["bundle", ...options, ...entries];
  const { code, err } = await runToEnd(Deno.execPath(), args, { DENO_DIR: denoDir });
  if (code !== 0) throw new Error(`deno bundle failed\n${err}`);
}

/** The version of esbuild that the pinned Deno bundles with. */
const ESBUILD_VERSION = "0.25.5";

/**
 * Puts the packaged esbuild where Deno looks for it, so that it is the one of package-lock.json and nothing is
 * downloaded. Where there is no package for the platform, Deno downloads it from the npm registry.
 */
function provideEsbuild(denoDir: string): void {
  const platform = `${Deno.build.os}-${Deno.build.arch === "aarch64" ? "arm64" : "x64"}`;
  const packaged = join(ROOT, `node_modules/@esbuild/${platform}/bin/esbuild`);
  if (!existsSync(packaged)) return;
  const path = join(denoDir, `dl/esbuild-${ESBUILD_VERSION}/esbuild-${platform}`);
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.symlinkSync(packaged, path);
}
