import { setTimeout as delay } from "node:timers/promises";
import type postgres from "postgres";
import { stack } from "../../e2e/support/client.ts";
import { childrenOf, type Part, pidOf } from "../../e2e/support/processes.ts";
import { connect } from "../local/mod.ts";
import type { Driver } from "./driver.ts";
import type { World } from "./world.ts";

/** Something that goes wrong for a while. */
export interface Fault {
  name: string;
  /** Makes it, and ends it after about this many seconds. */
  run(seconds: number, world: World, driver: Driver): Promise<void>;
}

/** All faults. A run takes each of them in turn, in a random order. */
export const FAULTS: Fault[] = [
  { name: "Postgres is killed", run: () => end("postgres", "SIGKILL") },
  { name: "Postgres is shut down at once and restarts", run: () => end("postgres", "SIGQUIT") },
  { name: "Postgres ends its connections and restarts", run: () => end("postgres", "SIGINT") },
  { name: "Postgres stands still", run: (seconds) => stopPostgres(seconds) },
  { name: "PostgREST is killed", run: () => end("postgrest", "SIGKILL") },
  { name: "PostgREST restarts", run: () => end("postgrest", "SIGTERM") },
  { name: "PostgREST stands still", run: (seconds) => stop("postgrest", seconds) },
  { name: "PostgREST stands still for long", run: (seconds) => stop("postgrest", 3 * seconds) },
  { name: "storage is killed", run: () => end("lite", "SIGKILL") },
  { name: "storage stands still", run: (seconds) => stop("lite", seconds) },
  { name: "the functions are killed", run: () => end("gateway", "SIGKILL") },
  { name: "the functions restart", run: () => end("gateway", "SIGTERM") },
  { name: "the functions stand still", run: (seconds) => stop("gateway", seconds) },
  { name: "PostgREST's connections are cut again and again", run: cutConnections },
  { name: "Postgres has no connection left", run: takeAllConnections },
  { name: "PostgREST's pool is full", run: fillPool },
  { name: "callers hang up", run: hangUp },
  { name: "the recruiting leads are locked", run: lockTable("public.recruiting_leads") },
  { name: "the sales leads are locked", run: lockTable("public.leads", "public.lead_metrics") },
  { name: "the texts are locked", run: lockTable("public.recruiting_messages") },
  { name: "the rejected deliveries are locked", run: lockTable("public.rejected_deliveries") },
  {
    name: "the orders are locked",
    run: (seconds, { orderIds }) =>
      holding(seconds, (sql) =>
        sql`
        select from public.recruiting_orders where id in ${sql(orderIds)} for update`),
  },
  {
    name: "the agents are locked",
    run: (seconds, { orderIds }) =>
      holding(seconds, (sql) =>
        sql`
        select from public.agents
        where agency_id in (select agency_id from public.recruiting_orders where id in ${
          sql(orderIds)
        }) for update`),
  },
  {
    name: "the distribution lock is held",
    run: (seconds) =>
      holding(seconds, (sql) => sql`select pg_advisory_xact_lock(private.distribution_lock())`),
  },
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

/** Ends a part. The launcher starts it again. Of two gateways it is the other one's turn next. */
async function end(part: Part, signal: Deno.Signal): Promise<void> {
  const pid = pidOf(part);
  Deno.kill(pid, signal);
  // Whoever asks whether all is well must not ask the old process.
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

async function stop(part: Part, seconds: number): Promise<void> {
  await stopping([pidOf(part)], seconds);
}

/** Stops the server and each of its processes. It needs Linux. */
async function stopPostgres(seconds: number): Promise<void> {
  const pid = pidOf("postgres");
  // The server first, so that it makes no more processes.
  Deno.kill(pid, "SIGSTOP");
  await stopping([pid, ...childrenOf(pid)], seconds);
}

async function stopping(pids: number[], seconds: number): Promise<void> {
  const signalAll = (signal: Deno.Signal) => {
    for (const pid of pids) {
      try {
        Deno.kill(pid, signal);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
  };
  signalAll("SIGSTOP");
  try {
    await delay(seconds * 1_000);
  } finally {
    signalAll("SIGCONT");
  }
}

async function cutConnections(seconds: number): Promise<void> {
  await withConnection(async (sql) => {
    for (const until = Date.now() + seconds * 1_000; Date.now() < until;) {
      await endPostgrestConnections(sql);
      await delay(200);
    }
  });
}

/** Opens connections until there is none left, so that PostgREST gets none in place of those it loses. */
async function takeAllConnections(seconds: number): Promise<void> {
  const taken: postgres.Sql[] = [];
  try {
    for (let isLeft = true; isLeft;) {
      const sql = connect(stack.db_url);
      taken.push(sql);
      isLeft = await sql`select 1`.then(() => true, () => false);
    }
    for (const until = Date.now() + seconds * 1_000; Date.now() < until;) {
      await endPostgrestConnections(taken[0]!);
      // Whoever was faster has one of them back now.
      const sql = connect(stack.db_url);
      taken.push(sql);
      await sql`select 1`.catch(() => {});
      await delay(200);
    }
  } finally {
    await Promise.all(taken.map((sql) => sql.end({ timeout: 1 })));
  }
}

async function endPostgrestConnections(sql: postgres.Sql): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'authenticator'`;
}

/** Has every connection of PostgREST wait for a table that no route uses. */
async function fillPool(seconds: number): Promise<void> {
  const headers = {
    apikey: stack.service_role_key,
    authorization: `Bearer ${stack.service_role_key}`,
  };
  await holding(seconds, async (sql) => {
    await sql`lock table public.lead_referrals in access exclusive mode`;
    for (let n = 0; n < 20; n++) {
      void fetch(`${stack.api_url}/rest/v1/lead_referrals?select=id`, { headers })
        .then((response) => response.body?.cancel(), () => {});
    }
  });
}

async function hangUp(seconds: number, _: World, driver: Driver): Promise<void> {
  driver.hangUps = 0.4;
  await delay(seconds * 1_000);
  driver.hangUps = 0;
}

function lockTable(...tables: string[]): Fault["run"] {
  return (seconds) =>
    holding(
      seconds,
      (sql) => sql.unsafe(`lock table ${tables.join(", ")} in access exclusive mode`),
    );
}

/** Keeps open a transaction that locks something. */
async function holding(
  seconds: number,
  lock: (sql: postgres.TransactionSql) => Promise<unknown>,
): Promise<void> {
  await withConnection((sql) =>
    sql.begin(async (transaction) => {
      await lock(transaction);
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
