import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { ROOT } from "./paths.ts";
import { runToEnd } from "./program.ts";
import type { StackInfo } from "./stack_info.ts";

/**
 * Builds the desk for a stack, in a process of its own, because the builder stays in memory.
 *
 * @returns the folder with the page, or why there is none
 */
export async function buildDesk(
  dataDir: string,
  { api_url, publishable_key }: StackInfo,
): Promise<{ folder: string; problem?: undefined } | { folder?: undefined; problem: string }> {
  const folder = join(dataDir, "desk");
  const { code, err } = await runToEnd(Deno.execPath(), [
    "run",
    "--quiet",
    "--allow-all",
    join(ROOT, "dev/scripts/desk.ts"),
    "build",
    "--out",
    folder,
    "--url",
    api_url,
    "--key",
    publishable_key,
  ]);
  if (code !== 0) return { problem: err.trim() };
  // Every static host compresses. Here it is done once, and not for each page.
  const assets = join(folder, "assets");
  for (const name of existsSync(assets) ? readdirSync(assets) : []) {
    const file = join(assets, name);
    writeFileSync(`${file}.gz`, gzipSync(readFileSync(file)));
  }
  return { folder };
}
