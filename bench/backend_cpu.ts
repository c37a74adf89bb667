import type postgres from "postgres";

/**
 * A clock of the CPU time that the server process of a connection uses, in seconds. Other work on the machine changes it
 * much less than it changes the time that passes. Only where the server is on this machine, and only on Linux: elsewhere
 * it is the time that passes.
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
