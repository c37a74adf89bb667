import { ROOT } from "../local/mod.ts";

const interruption = new AbortController();

/** Ends the program that runs now, for a test run that is interrupted. */
export function interruptProgram(): void {
  interruption.abort();
}

/**
 * Runs a program with its output on the terminal. Returns whether it succeeded.
 *
 * @param showOutput resolves when the output may be shown, for a program that runs beside another; by default it is shown
 * as it comes
 */
export async function runProgram(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  showOutput?: Promise<void>,
): Promise<boolean> {
  const program = new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    signal: interruption.signal,
    ...(showOutput && { stdout: "piped", stderr: "piped" }),
  });
  if (showOutput === undefined) return (await program.spawn().status).success;
  const { success, stdout, stderr } = await program.output();
  await showOutput;
  Deno.stdout.writeSync(stdout);
  Deno.stderr.writeSync(stderr);
  return success;
}
