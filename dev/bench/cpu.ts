import { readdirSync, readFileSync } from "node:fs";
import type postgres from "postgres";

/** The parts of a stack by the names of their processes. The gateway runs the functions. */
export const PARTS = { postgres: "Postgres", postgrest: "PostgREST", deno: "function" } as const;

/** CPU time in milliseconds, by the parts of the stack. */
export type StackCpu = Record<keyof typeof PARTS, number>;

/** A process, and the CPU time in milliseconds that it and its ended children have taken. For Linux, from /proc. */
function readProcess(pid: string) {
  // proc(5): the name is in parentheses and may hold anything; the fields after it are counted from its end.
  const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))!;
  const fields = rest!.split(" ");
  const ticks = fields.slice(11, 15).map(Number);
  return { pid, name: name!, parent: fields[1]!, cpu: 10 * ticks.reduce((sum, n) => sum + n) };
}

/** The CPU time that the processes of all running stacks have taken. */
export function stackCpu(): StackCpu {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).flatMap((pid) => {
    try {
      return [readProcess(pid)];
    } catch {
      return []; // The process has ended meanwhile.
    }
  });
  const own = new Set([String(Deno.pid)]);
  const cpu: StackCpu = { postgres: 0, postgrest: 0, deno: 0 };
  for (let grown = -1; grown < own.size;) {
    grown = own.size;
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid);
  }
  for (const process of processes) {
    if (own.has(process.pid) && process.pid !== String(Deno.pid) && process.name in cpu) {
      cpu[process.name as keyof StackCpu] += process.cpu;
    }
  }
  return cpu;
}

/** The CPU that each part has taken since then, divided by a count. */
export function cpuSince(before: StackCpu, count: number): StackCpu {
  const cpu = stackCpu();
  for (const part of Object.keys(cpu) as (keyof StackCpu)[]) {
    cpu[part] = (cpu[part] - before[part]) / count;
  }
  return cpu;
}

/**
 * A clock of the CPU time that the server process of a connection uses, in seconds. Other work on the machine changes
 * it much less than it changes the time that passes. Only where the server is on this machine, and only on Linux:
 * elsewhere it is the time that passes.
 *
 * @param sql one connection
 */
export async function backendCpu(sql: postgres.Sql): Promise<() => number> {
  const [{ pid }] = await sql<[{ pid: number }]>`select pg_backend_pid() as pid`;
  // The first number is the time on a CPU in nanoseconds: Documentation/scheduler/sched-stats.rst of Linux.
  const schedstat = `/proc/${pid}/schedstat`;
  if (Deno.build.os !== "linux") return () => performance.now() / 1000;
  return () => Number(Deno.readTextFileSync(schedstat).split(" ")[0]) / 1e9;
}
