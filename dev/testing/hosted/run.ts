import { runToEnd } from "../../local/mod.ts";

/** The output of a program, errors included, and its exit code. */
export interface Ended {
  code: number;
  output: string;
}

/** Runs a program in the checkout to its end. */
export async function run(
  command: string,
  args: string[],
  env?: Record<string, string>,
): Promise<Ended> {
  const { code, out, err } = await runToEnd(command, args, env);
  return { code, output: out + err };
}

/** Runs a script of the checkout as its npm script does. */
export function runScript(
  path: string,
  args: string[],
  env?: Record<string, string>,
): Promise<Ended> {
  return run("sh", ["dev/scripts/run.sh", path, ...args], env);
}
