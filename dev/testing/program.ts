import { ROOT } from "../local/mod.ts";

/** Takes lines of output, which may be printed later. */
export type Print = (lines: string) => void;

/** After so many milliseconds a program hangs: it is ended, and what it has printed shows where. */
const LONGEST = 15 * 60_000;

const interruption = new AbortController();

/** Ends the program that runs now, for a test run that is interrupted. */
export function interruptProgram(): void {
  interruption.abort();
}

/**
 * Runs a program with its output on the terminal. Returns whether it succeeded.
 *
 * @param print takes the output once the program has ended, for one that runs beside another; by default it is shown as
 * it comes
 */
export async function runProgram(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  print?: Print,
): Promise<boolean> {
  const program = new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    signal: AbortSignal.any([interruption.signal, AbortSignal.timeout(LONGEST)]),
    ...(print && { stdout: "piped", stderr: "piped" }),
  });
  if (print === undefined) return (await program.spawn().status).success;
  const { success, stdout, stderr } = await program.output();
  for (const output of [stdout, stderr]) print(new TextDecoder().decode(output).trimEnd());
  return success;
}
