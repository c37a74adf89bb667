import type postgres from "postgres";
import { CommandError } from "./errors.ts";
import { NAMED } from "./find.ts";
import type { Given } from "./options.ts";

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
 * Writes a row of a named table, and takes that back where it is then a double, unless `--again` was given. Commands
 * that do this wait for each other, so that of two at once one is refused.
 *
 * @param statement inserts or updates the row
 * @param given the options that it was made from
 * @param isAlike which of the rows `o` with a name of the row `r` are doubles
 * @throws {CommandError} naming the other; or when the statement writes nothing
 */
export async function writeOnce<Written extends { id: string }>(
  sql: postgres.Sql,
  noun: keyof typeof NAMED,
  statement: postgres.Fragment,
  given: Given,
  isAlike = sql`true`,
): Promise<Written> {
  return await sql.begin(async (transaction) => {
    await transaction`select pg_advisory_xact_lock(hashtextextended('npm run admin', 0))`;
    const [row] = await transaction<Written[]>`${statement} returning *`;
    if (row === undefined) throw new CommandError("Others have changed it meanwhile. Try again.");
    if (given.again || NAMES.every((option) => given[option] === undefined)) return row;
    const [double] = await transaction<{ id: string; names: string[] }[]>`
      select o.id, o.names from (${NAMED[noun](sql)}) r
      join (${NAMED[noun](sql)}) o on o.id <> r.id
        and exists (select lower(n) from unnest(r.names) n intersect select lower(n) from unnest(o.names) n)
      where r.id = ${row.id} and (${isAlike}) order by o.id limit 1`;
    if (double === undefined) return row;
    throw new CommandError(
      `There is the ${noun} "${
        double.names[0]
      }" already (${double.id}). If a second one is meant, add --again`,
    );
  }) as Written;
}
