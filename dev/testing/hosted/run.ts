import { ROOT } from "../../local/mod.ts";

/** What a program has printed, errors included, and its exit code. */
export interface Ended {
  code: number;
  output: string;
}

/** Runs a program in the checkout to its end. */
export async function run(
  command: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout) + decoder.decode(stderr) };
}

/** Runs a script of the checkout as its npm script does. */
export function runScript(
  path: string,
  args: string[],
  env: Record<string, string> = {},
): Promise<Ended> {
  return run("sh", ["dev/scripts/run.sh", path, ...args], env);
}
