import type postgres from "postgres";

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
