import { ROOT } from "./paths.ts";

/** The output of a program, and its exit code. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs a program in the checkout to its end. Its input is empty unless given. */
export async function runToEnd(
  command: string,
  args: string[],
  env: Record<string, string> = {},
  input = "",
): Promise<Ran> {
  const child = new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ code, stdout, stderr }] = await Promise.all([
    child.output(),
    // A program need not read its input.
    new Blob([input]).stream().pipeTo(child.stdin).catch(() => {}),
  ]);
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}
