import { ROOT } from "../local/mod.ts";

const interruption = new AbortController();

/** Ends the program that runs now, for a test run that is interrupted. */
export function interruptProgram(): void {
  interruption.abort();
}

/** Runs a program with its output on the terminal. Returns whether it succeeded. */
export async function runProgram(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<boolean> {
  const child = new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    signal: interruption.signal,
  }).spawn();
  return (await child.status).success;
}
