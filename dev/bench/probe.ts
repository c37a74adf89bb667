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
  flags: string[] = [],
): Promise<Result> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: denoArgs(script, args, flags),
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`${script} failed`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** The arguments of Deno for a script of this folder. */
export function denoArgs(script: string, args: string[], flags: string[] = []): string[] {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return ["run", "--quiet", "--no-check", "--allow-all", ...flags, path, ...args];
}

/** Starts a server in a process of its own. Resolves to what it prints when it serves: its port or its address. */
export async function startServer(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<{ pid: number; printed: string; stop(): Promise<void> }> {
  const child = new Deno.Command(command, { args, env, stdout: "piped", stderr: "inherit" })
    .spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  if (!value) throw new Error(`${command} ${args.join(" ")} could not start`);
  // Its log would fill the pipe.
  void (async () => {
    while (!(await reader.read()).done);
  })();
  const stop = async () => {
    child.kill();
    await child.status;
  };
  return { pid: child.pid, printed: value.trim(), stop };
}
