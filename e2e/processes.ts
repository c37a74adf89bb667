import { dirname, join } from "node:path";
import { stackInfoFile } from "../local/mod.ts";

/** A part of the stack that a scenario may stop. */
export type Part = "postgres" | "postgrest" | "lite";

/** The process id of a part of the stack, from the launcher's list beside stack.json. */
export function pidOf(part: Part): number {
  const path = join(dirname(stackInfoFile()), "processes.json");
  const processes: { name: string; pid: number }[] = JSON.parse(Deno.readTextFileSync(path));
  return processes.find(({ name }) => name === part)!.pid;
}

/** The lines of level `error` that the functions have logged, as one text. */
export function loggedErrors(): string {
  const path = join(dirname(stackInfoFile()), "logs/gateway.log");
  return Deno.readTextFileSync(path).split("\n")
    .filter((line) => line.includes('"level":"error"')).join("\n");
}

/** Repeats a check until it holds. After this number of seconds, throws its last error. */
export async function eventually(seconds: number, check: () => Promise<void>): Promise<void> {
  for (const deadline = Date.now() + seconds * 1000;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
