/** How what a person types is looked up: an id or its beginning, a phone, a time. */

const LOWEST = "00000000-0000-0000-0000-000000000000";
const HIGHEST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** The first and the last id with the same beginning; a range is found by the index of the primary key. */
export interface IdRange {
  first: string;
  last: string;
}

/**
 * The ids that begin with a text of at least 8 characters; undefined for one that is not the beginning of an id. Less
 * may well be a sender's own id.
 */
export function idRange(text: string): IdRange | undefined {
  const beginning = text.trim().toLowerCase();
  const first = beginning + LOWEST.slice(beginning.length);
  if (beginning.length < 8 || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(first)) {
    return undefined;
  }
  return { first, last: beginning + HIGHEST.slice(beginning.length) };
}

/** The digits of a phone number without its US country code; undefined for what is too short to be one. */
export function phoneDigits(text: string): string | undefined {
  const digits = /^[+\d\s().-]+$/.test(text)
    ? text.replace(/\D/g, "").replace(/^1(?=\d{10}$)/, "")
    : "";
  return digits.length >= 7 ? digits : undefined;
}
