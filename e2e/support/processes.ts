import { dirname, join } from "node:path";
import { ROOT, stackInfoFile } from "../../dev/local/mod.ts";
import { type Part, pidOf } from "../../dev/testing/faults/parts.ts";

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

/** A program that listens on a port of this machine. */
export interface Listening {
  /** What it has printed so far. */
  printed(): string;
  stop(): Promise<void>;
}

/** Starts a program in the checkout, and waits until it listens. */
export async function listen(
  command: string,
  args: string[],
  env: Record<string, string>,
  port: number,
): Promise<Listening> {
  const child = new Deno.Command(command, { args, env, cwd: ROOT, stdout: "piped", stderr: "inherit" }).spawn();
  let printed = "";
  const reading = child.stdout.pipeThrough(new TextDecoderStream()).pipeTo(
    new WritableStream({ write: (text) => void (printed += text) }),
  );
  await eventually(30, async () => (await Deno.connect({ port })).close());
  return {
    printed: () => printed,
    async stop() {
      child.kill("SIGTERM");
      await child.status;
      await reading;
    },
  };
}
