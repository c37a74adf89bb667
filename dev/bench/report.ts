/** What the commands print so that it can be pasted into docs/. */
import { cpus } from "node:os";

const SYSTEMS: Record<string, string> = { darwin: "macOS", linux: "Linux", windows: "Windows" };

/**
 * The command with its options, the day, and the machine:
 * `` `npm run soak -- --minutes 10`, 2026-11-21, Linux x64, two cores of an AMD EPYC ``.
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

/** A table in Markdown, as `npm run fmt` leaves it. */
export function markdownTable(rows: readonly Record<string, string>[]): string {
  const headings = Object.keys(rows[0] ?? {});
  const lines = [headings, ...rows.map((row) => headings.map((heading) => row[heading]!))];
  const widths = headings.map((_, i) => Math.max(3, ...lines.map((line) => line[i]!.length)));
  const format = (cells: string[]) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i]!)).join(" | ")} |`;
  const [head, ...body] = lines.map(format);
  return [head, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...body].join("\n");
}
