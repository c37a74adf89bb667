import { dirname, join } from "node:path";
import { stackInfoFile } from "../local/mod.ts";

/** A part of the stack. A scenario may stop all but the gateway. */
export type Part = "postgres" | "postgrest" | "lite" | "gateway";

/** The process id of a part of the stack, from the launcher's list beside stack.json. */
export function pidOf(part: Part): number {
  const path = join(dirname(stackInfoFile()), "processes.json");
  const processes: { name: string; pid: number }[] = JSON.parse(Deno.readTextFileSync(path));
  return processes.find(({ name }) => name === part)!.pid;
}

/** By how many MiB the memory of a part grows at most while something runs. It needs Linux. */
export async function memoryGrowth(part: Part, run: () => Promise<unknown>): Promise<number> {
  const folder = `/proc/${pidOf(part)}`;
  // Forgets the highest size so far (proc(5)).
  Deno.writeTextFileSync(`${folder}/clear_refs`, "5");
  const before = memory(folder, "VmRSS");
  await run();
  return memory(folder, "VmHWM") - before;
}

function memory(folder: string, name: string): number {
  const status = Deno.readTextFileSync(`${folder}/status`);
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
  check: () => Promise<Value>,
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
