import type postgres from "postgres";
import { CommandError } from "./errors.ts";
import { TABLES } from "./find.ts";
import type { columnsOf, Given } from "./options.ts";

/**
 * Runs something in a transaction, and for a dry run rolls it back: so a dry run says exactly what would happen.
 *
 * @returns what `run` returns, also when it was rolled back
 */
export async function dryRunnable<Value>(
  sql: postgres.Sql,
  dryRun: boolean,
  run: (transaction: postgres.TransactionSql) => Promise<Value>,
): Promise<Value> {
  const rollBack = new Error("rolled back");
  let value: Value;
  try {
    await sql.begin(async (transaction) => {
      value = await run(transaction);
      if (dryRun) throw rollBack;
    });
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  return value!;
}

/** The options that name what is written. */
const NAMES = ["name", "firstName", "lastName", "email"];

/**
 * Makes or changes what has names, and takes that back where it is then a double, unless `--again` was given. Commands
 * that do this wait for each other, so that of two at once one is refused.
 *
 * @param given the options that the columns were made from
 * @param id which one to change; undefined for a new one
 * @param unless a condition under which it is not changed any more
 * @param dryRun whether all of it is taken back
 * @throws {CommandError} naming the other; or when nothing was changed
 */
export async function save<Saved extends { id: string }>(
  sql: postgres.Sql,
  noun: keyof typeof TABLES,
  columns: ReturnType<typeof columnsOf>,
  given: Given,
  id?: string,
  unless = sql`false`,
  dryRun = false,
): Promise<Saved> {
  const table = sql(TABLES[noun]);
  const statement = id === undefined
    ? sql`insert into ${table} ${sql(columns)}`
    : sql`update ${table} set ${sql(columns)} where id = ${id} and not (${unless})`;
  return await dryRunnable(sql, dryRun, async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended('npm run admin', 0))`;
    const [row] = await transaction<Saved[]>`${statement} returning *`;
    if (row === undefined) throw new CommandError("Others have changed it meanwhile. Try again.");
    if (given.again || NAMES.every((option) => given[option] === undefined)) return row;
    const [{ double }] = await transaction<[{ double: string | null }]>`
      select public.find_double(${noun}, ${row.id}) as double`;
    if (double === null) return row;
    throw new CommandError(`${double}. If a second one is meant, add --again`);
  });
}
