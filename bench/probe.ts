import { fileURLToPath } from "node:url";

/**
 * Runs a script of this folder in a process of its own.
 *
 * @param flags for Deno
 * @returns the JSON that the script prints
 * @throws {Error} when it fails
 */
export async function probe<Result>(
  script: string,
  args: string[],
  env: Record<string, string> = {},
  flags: string[] = [],
): Promise<Result> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--quiet", "--no-check", "--allow-all", ...flags],
      ...[fileURLToPath(new URL(script, import.meta.url)), ...args],
    ],
    env,
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${script} failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
