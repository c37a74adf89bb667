import { sql } from "../../e2e/support/client.ts";
import { childrenOf, memoryOf, type Part, pidOf } from "../../e2e/support/processes.ts";
import type { Sent } from "./driver.ts";

/** What is measured again and again, by its name with its unit. */
export type Sample = Record<string, number>;

/** The name of the figure that must be 0. */
export const FAILURES = "requests without a success at once";

/** Figures that follow Postgres' checkpoints, which are minutes apart, and so are not expected to be flat. */
export const BY_CHECKPOINT = [
  "write-ahead log written, kB a request",
  "write-ahead log kept, MiB",
];

const PARTS: Record<string, Part> = {
  "the functions": "gateway",
  PostgREST: "postgrest",
  storage: "lite",
  Postgres: "postgres",
};

/** What the tables and the write-ahead log have grown to. */
interface Sizes {
  /** Bytes. */
  tables: number;
  /** Bytes. */
  log: number;
  records: number;
}

/** Measures the stack at intervals. */
export class Sampler {
  #sizes: Sizes | undefined;

  /**
   * Measures the stack, and the requests that have ended since the last time.
   *
   * @param seconds how long that is
   */
  async take(sent: Sent[], seconds: number): Promise<Sample> {
    const times = sent.map(({ attempts }) => attempts[0]!.ms).sort((a, b) => a - b);
    const quantile = (share: number) =>
      times[Math.min(Math.floor(times.length * share), times.length - 1)] ?? 0;
    const before = this.#sizes ??= await readSizes();
    const sizes = this.#sizes = await readSizes();
    const perRequest = (name: keyof Sizes) =>
      (sizes[name] - before[name]) / Math.max(sent.length, 1);
    const [state] = await sql`
      select
        (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
        (select sum(size)::float8 from pg_ls_waldir()) as wal`;
    return {
      "requests a second": sent.length / seconds,
      [FAILURES]: sent.filter(isFailure).length,
      "latency, median, ms": quantile(0.5),
      "latency, 95 %, ms": quantile(0.95),
      "latency, 99 %, ms": quantile(0.99),
      ...Object.fromEntries(
        Object.entries(PARTS).map(([name, part]) => [`memory of ${name}, MiB`, memoryOfPart(part)]),
      ),
      "connections to Postgres": state!.connections,
      "tables and indexes, kB a request": perRequest("tables") / 1024,
      "write-ahead log, records a request": perRequest("records"),
      "write-ahead log written, kB a request": perRequest("log") / 1024,
      "write-ahead log kept, MiB": state!.wal / 1024 ** 2,
    };
  }
}

/** Whether a request had no success at once. */
export function isFailure({ attempts, outcome }: Sent): boolean {
  return outcome !== "done" || attempts.length > 1;
}

/** The memory that a part and its processes have for themselves, without what they share. */
function memoryOfPart(part: Part): number {
  const pid = pidOf(part);
  return [pid, ...childrenOf(pid)].reduce((sum, pid) => sum + ownMemory(pid), 0);
}

function ownMemory(pid: number): number {
  try {
    return memoryOf(pid, "RssAnon");
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

async function readSizes(): Promise<Sizes> {
  const [sizes] = await sql`
    select
      (
        select sum(pg_total_relation_size(c.oid))::float8
        from pg_class c
        where c.relkind = 'r' and c.relnamespace in ('public'::regnamespace, 'private'::regnamespace)
      ) as tables,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as log,
      (select wal_records::float8 from pg_stat_wal) as records`;
  return sizes as unknown as Sizes;
}
