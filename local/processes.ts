import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "./files.ts";

/** A process as `<data-dir>/processes.json` records it, so that a later start can end it for sure. */
export interface ProcessRecord {
  name: string;
  pid: number;
  /** When it started, in the system's own terms: tells it from a later process with the same pid. */
  started: string;
}

const GRACE_MS = 6_000;

/** Replaces the record of what runs. */
export function recordProcesses(dataDir: string, processes: ProcessRecord[]): void {
  const path = join(dataDir, "processes.json");
  if (processes.length === 0) rmSync(path, { force: true });
  else writeFileAtomically(path, JSON.stringify(processes, null, 2));
}

/** Ends what a launcher that was killed left running, and waits until it is gone. Returns the names. */
export async function endLeftovers(dataDir: string): Promise<string[]> {
  const left = readRecords(dataDir).filter(isRunning);
  const names = left.map(({ name }) => name);
  // SIGINT is the fast shutdown of Postgres, which does not wait for its clients; the other parts stop on SIGTERM.
  for (const { pid } of left) {
    signal(pid, "SIGINT");
    signal(pid, "SIGTERM");
  }
  const deadline = Date.now() + GRACE_MS;
  while (left.some(isRunning)) {
    if (Date.now() > deadline) left.filter(isRunning).forEach(({ pid }) => signal(pid, "SIGKILL"));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  recordProcesses(dataDir, []);
  return names;
}

/** When the process started, or null if there is none with this pid. */
export function startTime(pid: number): string | null {
  if (Deno.build.os === "linux") {
    try {
      // The name in parentheses may hold anything; the state is the first field after it and the start the twentieth.
      const fields = Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ").at(-1)!.split(" ");
      return fields[0] === "Z" ? null : fields[19]!;
    } catch {
      return null;
    }
  }
  const { success, stdout } = new Deno.Command("ps", { args: ["-o", "lstart=", "-p", `${pid}`] })
    .outputSync();
  return success ? new TextDecoder().decode(stdout).trim() : null;
}

/** Sends a signal; a process that has just gone is no error. */
export function signal(pid: number, name: Deno.Signal): void {
  try {
    Deno.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound) && !(error instanceof TypeError)) throw error;
  }
}

function isRunning({ pid, started }: ProcessRecord): boolean {
  return startTime(pid) === started;
}

function readRecords(dataDir: string): ProcessRecord[] {
  try {
    return JSON.parse(Deno.readTextFileSync(join(dataDir, "processes.json")));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
