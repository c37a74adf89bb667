import type postgres from "postgres";
import { CommandError } from "./errors.ts";
import type { TABLES } from "./find.ts";
import type { Given } from "./options.ts";
import type { Session, Subject } from "./session.ts";

/** The options that name what is written. */
const NAMES = ["name", "firstName", "lastName", "email"];

/**
 * Makes or changes what has names, and takes that back where it is then a double, unless `--again` was given. Commands
 * that do this wait for each other, so that of two at once one is refused.
 *
 * @param statement writes the row, and returns it; no row: others have changed it
 * @param given the options that say what is written
 * @param about what is stored of it besides its id
 * @param dryRun whether all of it is taken back
 * @throws {CommandError} naming the other; or when nothing was changed
 */
export async function save<Saved extends { id: string }>(
  { act }: Session,
  noun: keyof typeof TABLES,
  statement: postgres.Fragment,
  given: Given,
  about: Subject,
  dryRun = false,
): Promise<Saved> {
  return await act(
    async (transaction) => {
      await transaction`select pg_advisory_xact_lock(hashtextextended('npm run admin', 0))`;
      const [row] = await transaction<Saved[]>`${statement}`;
      if (row === undefined) throw new CommandError("Others have changed it meanwhile. Try again.");
      if (given.again || NAMES.every((option) => given[option] === undefined)) return row;
      const [{ double }] = await transaction<[{ double: string | null }]>`
      select public.find_double(${noun}, ${row.id}) as double`;
      if (double === null) return row;
      throw new CommandError(`${double}. If a second one is meant, add --again`);
    },
    ({ id }) => ({ [`${noun}_id`]: id, ...about }),
    dryRun,
  );
}
