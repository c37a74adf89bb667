import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import { stack } from "../../e2e/support/client.ts";
import { childrenOf, hangFor, type Part, pidOf } from "../../e2e/support/processes.ts";
import { connect } from "../local/mod.ts";

/** Something that goes wrong for a while. */
export interface Fault {
  name: string;
  /** Makes it, and ends it after about this many seconds. */
  run(seconds: number): Promise<void>;
}

/**
 * All faults. A run takes each of them in turn, in a random order. What a locked table or row does is shown by
 * `e2e/faults/locked_*.test.ts`.
 */
export const FAULTS: Fault[] = [
  { name: "Postgres is killed", run: () => end("postgres", "SIGKILL") },
  { name: "Postgres ends its connections and restarts", run: () => end("postgres", "SIGINT") },
  { name: "Postgres stands still", run: stopPostgres },
  { name: "PostgREST is killed", run: () => end("postgrest", "SIGKILL") },
  { name: "PostgREST stands still", run: (seconds) => hangFor("postgrest", seconds) },
  { name: "storage is killed", run: () => end("lite", "SIGKILL") },
  { name: "storage stands still", run: (seconds) => hangFor("lite", seconds) },
  { name: "the functions are killed", run: () => end("gateway", "SIGKILL") },
  { name: "the functions stand still", run: (seconds) => hangFor("gateway", seconds) },
  { name: "PostgREST's connections are cut again and again", run: cutConnections },
  { name: "the distribution lock is held", run: holdDistributionLock },
];

/**
 * Waits until all parts work again, behind each of these gateways.
 *
 * @throws {Error} when they do not within a minute
 */
export async function recovery(gateways: string[]): Promise<void> {
  const deadline = Date.now() + 60_000;
  const paths = ["/functions/v1/recruiting/health", "/auth/v1/health"];
  for (const url of gateways.flatMap((gateway) => paths.map((path) => gateway + path))) {
    while (!await isWell(url)) {
      if (Date.now() > deadline) throw new Error(`${url} is not well a minute after the fault`);
      await delay(100);
    }
  }
}

async function isWell(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}

/** Ends a part. The launcher starts it again. Where there are two gateways, the other one is next. */
async function end(part: Part, signal: Deno.Signal): Promise<void> {
  const pid = pidOf(part);
  Deno.kill(pid, signal);
  // A check of health must not ask the old process.
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

/** Stops the server and each of its processes. It needs Linux. */
async function stopPostgres(seconds: number): Promise<void> {
  const pid = pidOf("postgres");
  // The server first, so that it makes no more processes.
  Deno.kill(pid, "SIGSTOP");
  const pids = [pid, ...childrenOf(pid)];
  for (const child of pids) Deno.kill(child, "SIGSTOP");
  await delay(seconds * 1_000);
  for (const child of pids) Deno.kill(child, "SIGCONT");
}

async function cutConnections(seconds: number): Promise<void> {
  await withConnection(async (sql) => {
    for (const until = Date.now() + seconds * 1_000; Date.now() < until;) {
      await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'`;
      await delay(200);
    }
  });
}

async function holdDistributionLock(seconds: number): Promise<void> {
  await withConnection((sql) =>
    sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(private.distribution_lock())`;
      await delay(seconds * 1_000);
    })
  );
}

async function withConnection(run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = connect(stack.db_url);
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}
