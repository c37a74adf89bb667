import { cpus } from "node:os";

const SYSTEMS: Record<string, string> = { darwin: "macOS", linux: "Linux", windows: "Windows" };

/**
 * What stands above a command's figures when they are pasted into docs/: the command with its options, the day, and the
 * machine: `` `npm run chaos -- --seed 7`, 2026-11-21, Linux x64, two cores of an AMD EPYC ``.
 *
 * @param script the name of the npm script
 * @param seed is named, so that the same can be run again
 */
export function commandAndMachine(script: string, seed?: number): string {
  const isMissing = seed !== undefined && !Deno.args.includes("--seed");
  const args = [...Deno.args, ...(isMissing ? ["--seed", String(seed)] : [])];
  const options = args.map((arg) => /^[\w./-]+$/.test(arg) ? arg : JSON.stringify(arg));
  const command = ["npm run", script, ...(options.length > 0 ? ["--", ...options] : [])].join(" ");
  const day = new Date().toISOString().slice(0, 10);
  const system = SYSTEMS[Deno.build.os] ?? Deno.build.os;
  const architecture = Deno.build.arch === "x86_64" ? "x64" : Deno.build.arch;
  const cores = cpus();
  const count = cores.length === 2 ? "two" : String(cores.length);
  return `\`${command}\`, ${day}, ${system} ${architecture}, ${count} cores of ${cores[0]?.model}`;
}
