/** A database in which something is locked, missing or refused, or that ends connections. */
import type postgres from "postgres";
import { connect, readStackInfo } from "../../local/mod.ts";

/** Takes what a transaction that distributes leads has to itself. */
export const DISTRIBUTION_LOCK = "select pg_advisory_xact_lock(private.distribution_lock())";

/** Locks a table as `alter table` does, or in another mode: `share` is what `create index` takes. */
export function tableLock(table: string, mode = "access exclusive"): string {
  return `lock table ${table} in ${mode} mode`;
}

/** Locks a row as an update does. */
export function rowLock(table: string, id: string): string {
  return `select from ${table} where id = '${id}' for update`;
}

/** Runs something while a statement holds its locks, in a transaction that is rolled back afterwards. */
export async function whileHeld<Result>(statement: string, run: () => Promise<Result>): Promise<Result> {
  return await withConnection(async (sql) => {
    await sql.unsafe("begin");
    await sql.unsafe(statement);
    return await run();
  });
}

/** Runs something while an SQL function in `public` is missing. It is named with its types where it has overloads. */
export async function whileMissing<Result>(sqlFunction: string, run: () => Promise<Result>): Promise<Result> {
  const [name, types = ""] = sqlFunction.split(/(?=\()/);
  return await whileChanged(
    `alter function public.${name}${types} rename to ${name}_gone`,
    `alter function public.${name}_gone${types} rename to ${name}`,
    run,
  );
}

/** Runs something while a table refuses each new row, or each for which a condition on `new` holds. */
export async function whileRefused<Result>(
  table: string,
  run: () => Promise<Result>,
  condition = "true",
): Promise<Result> {
  const name = `refuse_${crypto.randomUUID().replaceAll("-", "")}`;
  return await whileChanged(
    `create function private.${name}() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger ${name} before insert on ${table}
      for each row when (${condition}) execute function private.${name}()`,
    `drop function private.${name}() cascade`,
    run,
  );
}

/** Runs something while the database refuses each recruiting lead with the first name Refused. */
export async function refusingLeads<Result>(run: () => Promise<Result>): Promise<Result> {
  return await whileChanged(
    "alter table public.recruiting_leads add constraint refused check (first_name <> 'Refused') not valid",
    "alter table public.recruiting_leads drop constraint refused",
    run,
  );
}

/** Cuts all connections of a role. */
export async function cutConnections(role: string): Promise<void> {
  await withConnection((sql) => sql`select pg_terminate_backend(pid) from pg_stat_activity where usename = ${role}`);
}

async function whileChanged<Result>(change: string, back: string, run: () => Promise<Result>): Promise<Result> {
  return await withConnection(async (sql) => {
    await sql.unsafe(change);
    try {
      return await run();
    } finally {
      await sql.unsafe(back);
    }
  });
}

async function withConnection<Result>(run: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = connect(readStackInfo().db_url);
  try {
    return await run(sql);
  } finally {
    await sql.end();
  }
}
