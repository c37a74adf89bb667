import { join } from "node:path";
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
  return code === 0 ? { folder } : { problem: err.trim() };
}
