import type postgres from "postgres";
import { CommandError } from "./errors.ts";

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

/**
 * Writes a row, and takes that back where it is a double. Commands that do this wait for each other, so that of two at
 * once one is refused.
 *
 * @param statement inserts or updates the row
 * @param doubles a query for rows like it, each with `id` and `name`; undefined: a second one is meant
 * @throws {CommandError} naming the other; or when the statement writes nothing
 */
export async function writeOnce<Written extends { id: string }>(
  sql: postgres.Sql,
  noun: string,
  statement: postgres.Fragment,
  doubles?: (row: Written) => postgres.Fragment,
): Promise<Written> {
  return await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended('npm run admin', 0))`;
    const [row] = await transaction<Written[]>`${statement} returning *`;
    if (row === undefined) throw new CommandError("Others have changed it meanwhile. Try again.");
    const [double] = doubles === undefined ? [] : await transaction<{ id: string; name: string }[]>`
      select d.id, d.name from (${doubles(row)}) d where d.id <> ${row.id} order by d.id limit 1`;
    if (double === undefined) return row;
    throw new CommandError(
      `There is the ${noun} "${double.name}" already (${double.id}). If a second one is meant, add --again`,
    );
  }) as Written;
}
