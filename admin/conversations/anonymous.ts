/** Texts of a conversation without what tells who has written them. */

/** Names, and what stands for each. */
export type Names = readonly (readonly [name: string | null, instead: string])[];

const EMAIL = /[^\s<>"'(),;:]+@[^\s<>"'(),;:]+\.[a-z]{2,}/gi;
const URL =
  /\b(?:https?:\/\/|www\.)\S+|(?<![@\w.-])[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|net|org|io|co|info|biz|ly|gov|edu)(?:\/\S*)?(?![\w.])/gi;
/** A phone, a date of birth, a license, a postal code: whatever has more digits than a year. */
const NUMBERS = /\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}|\+?\(?\d(?:[\s().-]{0,2}\d){4,}/g;

/**
 * A text with its e-mail addresses, URLs, long numbers and these names replaced. A number keeps its shape. A name that
 * nobody has given stays, so a person must read what comes.
 */
export function anonymous(text: string, names: Names): string {
  const without = text.replace(EMAIL, "someone@example.com").replace(URL, "https://example.com/")
    .replace(NUMBERS, (number) => number.replace(/\d/g, "5"));
  return names
    .filter((pair): pair is [string, string] => (pair[0]?.trim().length ?? 0) > 1)
    .toSorted(([one], [other]) => other.length - one.length)
    .reduce((text, [name, instead]) => text.replace(wordFinder(name.trim()), instead), without);
}

/** Finds a name as a word of its own, however it is written: with other accents, or in other cases. */
function wordFinder(name: string): RegExp {
  const letters = name.split(/\s+/).map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}])${letters.join("\\s+")}(?![\\p{L}\\p{N}])`, "giu");
}
