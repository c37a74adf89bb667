// Made once: to make one takes a hundred times as long as to use it.
const FORMAT = new Intl.NumberFormat("en-US");

/** A number with its thousands apart: "1,600". */
export function countText(count: number): string {
  return FORMAT.format(count);
}

/** A number with its noun: "1 recruit", "2 recruits". */
export function countOf(count: number, one: string, several: string): string {
  return `${countText(count)} ${count === 1 ? one : several}`;
}

/** A number of conversations: "99+" where there are more than 99. */
export function cappedText(count: number): string {
  return count > 99 ? "99+" : String(count);
}
