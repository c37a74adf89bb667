/** The words that a person types: a phone, or a name that is nearly right. */
import { toE164 } from "../supabase/functions/_shared/phone.ts";
import { UsageError } from "./errors.ts";

/** The name that a person probably meant who mistyped it or its beginning; undefined: none is near. */
export function mostSimilar(given: string, names: readonly string[]): string | undefined {
  const typed = given.slice(0, 100).toLowerCase();
  const [nearest] = names
    .flatMap((name) => [name, name.slice(0, typed.length)].map((known) => ({ name, known })))
    .map(({ name, known }) => ({ name, edits: editsBetween(typed, known.toLowerCase()) }))
    .filter(({ edits }) => edits <= Math.ceil(typed.length / 3))
    .sort((one, other) => one.edits - other.edits);
  return nearest?.name;
}

/** The letters that are changed, added or left out between two texts (Levenshtein distance). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const replaced = row[j]! + Number(letter !== other[j]);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

/**
 * A phone number of a command line in E.164: `(312) 555-0142`, `+44 20 7946 0018`.
 *
 * @throws {UsageError} when it is none
 */
export function readPhone(given: string): string {
  const phone = toE164(given);
  if (phone !== undefined) return phone;
  throw new UsageError(`"${given}" is not a phone number such as +13125550100`);
}

/**
 * An e-mail address of a command line, in lower case.
 *
 * @throws {UsageError} when it is none
 */
export function readEmail(given: string): string {
  const email = given.trim().toLowerCase();
  if (/^[^\s@]+@[^\s@]+$/.test(email)) return email;
  throw new UsageError(`"${given}" is not an e-mail address`);
}

/**
 * One of our numbers of a command line: as {@link readPhone}, or a short code of 5 or 6 digits.
 *
 * @throws {UsageError} when it is neither
 */
export function readServicePhone(given: string): string {
  return /^\s*\d{5,6}\s*$/.test(given) ? given.trim() : readPhone(given);
}
