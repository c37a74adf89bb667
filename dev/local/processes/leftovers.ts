import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { writeFileAtomically } from "../files.ts";

/** A process in `<data-dir>/processes.json`, where the next start finds what it has to end. */
export interface ProcessRecord {
  name: string;
  pid: number;
  /** When it started, as the system tells it. A later process may have the same pid, but not the same start. */
  started: string;
}

const GRACE_MS = 6_000;

/** Replaces the record of the running processes. */
export function recordProcesses(dataDir: string, processes: ProcessRecord[]): void {
  // Somebody may have removed the folder while the stack was running, which must still stop in order.
  if (!existsSync(dataDir)) return;
  const path = join(dataDir, "processes.json");
  if (processes.length === 0) rmSync(path, { force: true });
  else writeFileAtomically(path, JSON.stringify(processes, null, 2));
}

/**
 * Ends the processes that a killed launcher has left, and waits until they are gone. Usually its guard has done so, but
 * that may have been killed as well.
 *
 * @returns the names of the processes
 */
export async function endLeftovers(dataDir: string): Promise<string[]> {
  const left = readRecords(dataDir).filter(isRunning);
  const names = left.map(({ name }) => name);
  // SIGINT stops Postgres without waiting for its clients. The other parts stop on SIGTERM.
  for (const { pid } of left) {
    signal(pid, "SIGINT");
    signal(pid, "SIGTERM");
  }
  const deadline = Date.now() + GRACE_MS;
  while (left.some(isRunning)) {
    if (Date.now() > deadline) left.filter(isRunning).forEach(({ pid }) => signal(pid, "SIGKILL"));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return names;
}

/** When the process with this pid started; null if there is none. */
export function startTime(pid: number): string | null {
  if (Deno.build.os === "linux") {
    try {
      // The name is in parentheses and may contain anything. After it, the state is field 1 and the start is field 20.
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

/** Sends a signal. It is no error when the process has just ended. */
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
