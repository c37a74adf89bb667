import { cpus } from "node:os";

/** A line above a command's figures: the command with its options, the day, and the machine. */
export function commandAndMachine(script: string): string {
  const command = ["npm run", script, ...(Deno.args.length > 0 ? ["--"] : []), ...Deno.args].join(" ");
  const day = new Date().toISOString().slice(0, 10);
  return `${command}, ${day}, ${Deno.build.target}, ${cpus().length} × ${cpus()[0]?.model}`;
}
