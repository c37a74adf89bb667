import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { stackInfoFile } from "../../dev/local/mod.ts";

/** A part of the stack, which a scenario may stop. The launcher starts it again. */
export type Part = "postgres" | "postgrest" | "lite" | "gateway";

/**
 * The process id of a part of the stack, from the launcher's list beside stack.json. Where there are several gateways,
 * the oldest's.
 */
export function pidOf(part: Part): number {
  const path = join(dirname(stackInfoFile()), "processes.json");
  const processes: { name: string; pid: number }[] = JSON.parse(Deno.readTextFileSync(path));
  return processes.find(({ name }) => name === part)!.pid;
}

/** Runs something while a part of the stack hangs. */
export async function whileHanging<Result>(
  part: Part,
  run: () => Promise<Result>,
): Promise<Result> {
  const pid = pidOf(part);
  Deno.kill(pid, "SIGSTOP");
  try {
    return await run();
  } finally {
    Deno.kill(pid, "SIGCONT");
  }
}

/** Lets a part of the stack hang from now on for this number of seconds, and waits until it goes on. */
export async function hangFor(part: Part, seconds: number): Promise<void> {
  await whileHanging(part, () => delay(seconds * 1_000));
}

/** The processes that a process has started, and still has. It needs Linux. */
export function childrenOf(pid: number): number[] {
  const children = Deno.readTextFileSync(`/proc/${pid}/task/${pid}/children`).trim();
  return children === "" ? [] : children.split(" ").map(Number);
}

/** By how many MiB the memory of a part grows at most while something runs. It needs Linux. */
export async function memoryGrowth(part: Part, run: () => Promise<unknown>): Promise<number> {
  const pid = pidOf(part);
  // Forgets the highest size so far (proc(5)).
  Deno.writeTextFileSync(`/proc/${pid}/clear_refs`, "5");
  const before = memoryOf(pid, "VmRSS");
  await run();
  return memoryOf(pid, "VmHWM") - before;
}

/** A figure of a process's memory in MiB, by its name in proc(5). It needs Linux. */
function memoryOf(pid: number, name: "VmRSS" | "VmHWM"): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)![1]) / 1024;
}

/** The lines of level `error` that the functions have logged, as one text. */
export function loggedErrors(): string {
  const path = join(dirname(stackInfoFile()), "logs/gateway.log");
  return Deno.readTextFileSync(path).split("\n")
    .filter((line) => line.includes('"level":"error"')).join("\n");
}

/** Repeats a check until it holds, and returns its value. After this number of seconds, throws its last error. */
export async function eventually<Value>(
  seconds: number,
  check: () => Value | Promise<Value>,
): Promise<Value> {
  for (const deadline = Date.now() + seconds * 1000;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
