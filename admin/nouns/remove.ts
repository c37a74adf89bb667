import type postgres from "postgres";
import { codeOf, CommandError } from "../errors.ts";
import type { Outcome, Session } from "../session.ts";

/**
 * Removes what has never been used.
 *
 * @param name such as `the vendor acme`
 * @param remove the call of the database, which has not been sent
 * @param instead what to do with one that has been used
 * @throws {CommandError} naming what it has, when it has been used
 */
export async function removeUnused(
  { confirm }: Session,
  { id, name }: { id: string; name: string },
  remove: postgres.PendingQuery<postgres.Row[]>,
  instead: string,
): Promise<Outcome> {
  await confirm(`Remove ${name} for good?`, { unattended: true });
  try {
    await remove;
  } catch (error) {
    if (codeOf(error) !== "PT409") throw error;
    throw new CommandError(`${name} stays: ${(error as Error).message}. Instead: ${instead}`);
  }
  return { data: { removed: id }, text: `Removed ${name}.` };
}
