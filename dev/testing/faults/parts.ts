/** Parts of the stack that are killed, or stand still. */
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stackInfoFile } from "../../local/mod.ts";

/** A part of the stack. The launcher starts it again when it has ended. */
export type Part = "postgres" | "postgrest" | "lite" | "gateway";

/**
 * The process id of a part, from the launcher's list beside stack.json. Where there are several gateways, the oldest's.
 *
 * @throws {Error} while the part starts again
 */
export function pidOf(part: Part): number {
  const path = join(dirname(stackInfoFile()), "processes.json");
  const processes: { name: string; pid: number }[] = JSON.parse(Deno.readTextFileSync(path));
  return processes.find(({ name }) => name === part)!.pid;
}

/** The processes that a process has started, and still has. It needs Linux. */
export function childrenOf(pid: number): number[] {
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim();
  return children === "" ? [] : children.split(" ").map(Number);
}

/** Ends a part, and waits until the launcher has seen it, so that nobody takes the old process for the new one. */
export async function kill(part: Part, signal: Deno.Signal = "SIGKILL"): Promise<void> {
  const pid = pidOf(part);
  Deno.kill(pid, signal);
  while (isRunning(part, pid)) await delay(20);
}

function isRunning(part: Part, pid: number): boolean {
  try {
    return pidOf(part) === pid;
  } catch {
    // It is not in the list while it starts again.
    return false;
  }
}

/** Runs something while a part stands still, Postgres with each of its processes. For Postgres it needs Linux. */
export async function whileHanging<Result>(part: Part, run: () => Promise<Result>): Promise<Result> {
  const pid = pidOf(part);
  // The server first, so that it makes no more processes.
  Deno.kill(pid, "SIGSTOP");
  const pids = [pid, ...(part === "postgres" ? childrenOf(pid) : [])];
  for (const child of pids) Deno.kill(child, "SIGSTOP");
  try {
    return await run();
  } finally {
    for (const child of pids) Deno.kill(child, "SIGCONT");
  }
}

/** Lets a part stand still from now on for this number of seconds, and waits until it goes on. */
export async function hangFor(part: Part, seconds: number): Promise<void> {
  await whileHanging(part, () => delay(seconds * 1_000));
}
