import { valueOf } from "../database.ts";
import { codeOf, CommandError } from "../errors.ts";
import { idOf } from "../find.ts";
import type { Outcome, Session } from "../session.ts";

/**
 * A verb that removes what has never been used.
 *
 * @param instead what to do with one that has been used
 */
export function removes(
  noun: "agency" | "agent" | "vendor",
  instead: (row: { id: string; name: string }) => string,
) {
  return async ({ sql, confirm, act }: Session, given: string): Promise<Outcome> => {
    const id = await idOf(sql, noun, given) as string;
    const name = await valueOf<string>(sql`select names[1] from private.named where id = ${id}`);
    const what = noun === "agency" ? `the agency "${name}"` : `the ${noun} ${name}`;
    await confirm(`Remove ${what} for good?`);
    try {
      await act((transaction) => transaction`select ${sql(`remove_${noun}`)}(${id})`, { [`${noun}_id`]: id });
    } catch (error) {
      if (codeOf(error) !== "PT409") throw error;
      const reason = (error as Error).message;
      throw new CommandError(`${what} stays: ${reason}. Instead: ${instead({ id, name })}`);
    }
    return { data: { removed: id }, text: `Removed ${what}.` };
  };
}
