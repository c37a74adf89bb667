import type postgres from "postgres";
import { CommandError } from "./errors.ts";
import type { TABLES } from "./find.ts";
import type { Given } from "./options.ts";
import type { Session, Subject } from "./session.ts";

/** The options that contain a name. */
const NAMES = ["name", "firstName", "lastName", "email"];

/**
 * Creates or changes a named row, and rolls back if another row has the same name, unless `--again` was given.
 * Concurrent commands wait for each other, so that one of two duplicates is refused.
 *
 * @param statement writes the row, and returns it; no row: others have changed it
 * @param given the options that say what is written
 * @param about the subject of the action, besides the id
 * @param dryRun whether everything is rolled back
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
