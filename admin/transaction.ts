import type postgres from "postgres";
import { CommandError } from "./errors.ts";
import { TABLES } from "./find.ts";
import type { columnsOf, Given } from "./options.ts";
import type { Session, Subject } from "./session.ts";

/** The options that name what is written. */
const NAMES = ["name", "firstName", "lastName", "email"];

/**
 * Makes or changes what has names, and takes that back where it is then a double, unless `--again` was given. Commands
 * that do this wait for each other, so that of two at once one is refused.
 *
 * @param given the options that the columns were made from
 * @param about what is stored of it besides its id
 * @param id which one to change; undefined for a new one
 * @param unless a condition under which it is not changed any more
 * @param dryRun whether all of it is taken back
 * @throws {CommandError} naming the other; or when nothing was changed
 */
export async function save<Saved extends { id: string }>(
  { sql, act }: Session,
  noun: keyof typeof TABLES,
  columns: ReturnType<typeof columnsOf>,
  given: Given,
  about: Subject,
  { id, unless = sql`false`, dryRun }: { id?: string; unless?: postgres.Fragment; dryRun?: boolean } = {},
): Promise<Saved> {
  const table = sql(TABLES[noun]);
  const statement = id === undefined
    ? sql`insert into ${table} ${sql(columns)}`
    : sql`update ${table} set ${sql(columns)} where id = ${id} and not (${unless})`;
  return await act(
    async (transaction) => {
      await transaction`select pg_advisory_xact_lock(hashtextextended('npm run admin', 0))`;
      const [row] = await transaction<Saved[]>`${statement} returning *`;
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
