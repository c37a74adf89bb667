import { failure, type Result, success } from "./result.ts";

/**
 * The states with their USPS codes, including the territories and the military "states". A code may have two names.
 * Source: USPS Publication 28, appendix B.
 */
export const STATES: readonly { code: string; name: string }[] = `
  AL Alabama, AK Alaska, AS American Samoa, AZ Arizona, AR Arkansas, AA Armed Forces Americas,
  AE Armed Forces Europe, AP Armed Forces Pacific, CA California, CO Colorado, CT Connecticut,
  DE Delaware, DC District of Columbia, FL Florida, GA Georgia, GU Guam, HI Hawaii, ID Idaho,
  IL Illinois, IN Indiana, IA Iowa, KS Kansas, KY Kentucky, LA Louisiana, ME Maine, MD Maryland,
  MA Massachusetts, MI Michigan, MN Minnesota, MS Mississippi, MO Missouri, MT Montana,
  NE Nebraska, NV Nevada, NH New Hampshire, NJ New Jersey, NM New Mexico, NY New York,
  NC North Carolina, ND North Dakota, MP Northern Mariana Islands, OH Ohio, OK Oklahoma,
  OR Oregon, PA Pennsylvania, PR Puerto Rico, RI Rhode Island, SC South Carolina, SD South Dakota,
  TN Tennessee, TX Texas, UT Utah, VT Vermont, VI Virgin Islands, VA Virginia, WA Washington,
  DC Washington DC, WV West Virginia, WI Wisconsin, WY Wyoming
`.trim().split(/,\s+/).map((state) => ({ code: state.slice(0, 2), name: state.slice(3) }));

const CODES = new Set(STATES.map(({ code }) => code));

/** The codes by normalized name: forms also write `new_york`, `New-York` and `NewYork`. */
const CODE_OF_LETTERS = new Map(STATES.map(({ code, name }) => [lettersOf(name), code]));

/** Returns a state's name in upper case, without spaces, hyphens and a leading or trailing `State`. */
function lettersOf(name: string): string {
  return name.toUpperCase().replace(/[\s._-]/g, "").replace(/^STATEOF|STATE$/, "");
}

/** Returns the code of the state if the whole text names one: `TX`, `tx`, `Texas`, `new_york`, `Washington State`. */
export function namedState(text: string): string | undefined {
  const code = text.trim().toUpperCase();
  return CODES.has(code) ? code : CODE_OF_LETTERS.get(lettersOf(text));
}

/** Returns the distinct codes of a comma-separated list, as an operator or a manager writes it: `IL,Indiana, WI`. */
export function readStates(list: string): Result<string[]> {
  const given = list.split(",");
  const wrong = given.filter((each) => namedState(each) === undefined);
  if (wrong.length === 0) return success([...new Set(given.map((each) => namedState(each)!))]);
  const quoted = wrong.map((each) => `"${each.trim()}"`).join(", ");
  return failure(`${quoted} is no state. Separate states by commas, as in IL,Indiana,WI`);
}

/** Names of the country that may accompany a state. */
const US = new Set(["US", "USA", "UNITED STATES", "UNITED STATES OF AMERICA"]);
const US_AT_END = / (?:USA?|usa|Usa)$/;

/** Longer than any text that only names a place of residence. */
const MAX_LENGTH = 100;

/**
 * Returns the USPS two-letter code of a state, given its name or code: `texas`, ` TX `, `D.C.`, `US-TX`, `FL -
 * Florida`, `new_york`, `Washington State`. It may be at the end of a place: `Austin, TX 78701`, `Texas, USA`. Returns
 * undefined for anything else, and if the text has two states, as in `TX, FL` or `Vancouver, BC, CA`.
 * Source: USPS Publication 28, appendix B.
 */
export function stateCode(state: string): string | undefined {
  if (state.length > MAX_LENGTH) return undefined;
  const named = namedState(state);
  if (named !== undefined) return named;
  const codes = new Set(state.replaceAll(".", "").split(/[;/|&]|\band\b/i).flatMap(codesIn));
  return codes.size === 1 ? codes.values().next().value : undefined;
}

/** Returns the code of the state at the end of a place, and other codes before it; none if a place ends otherwise. */
function codesIn(place: string): string[] {
  const parts = place.split(/[,()–—-]/).map(withoutCountryAndZip)
    .filter((part) => part !== "" && !US.has(part.toUpperCase()));
  const code = readPart(parts.pop() ?? "");
  return code === undefined ? [] : [...parts.filter((part) => /^[A-Z]{2}$/.test(part)), code];
}

function withoutCountryAndZip(part: string): string {
  return part.replace(/\s+/g, " ").trim().replace(US_AT_END, "").replace(/(?:^| )\d{4,5}$/, "");
}

function readPart(part: string): string | undefined {
  const named = namedState(part);
  if (named !== undefined) return named;
  // Without a comma, only capitals are a code: "Austin TX", but not "looking for work in".
  const lastWord = / ([A-Z]{2})$/.exec(part)?.[1];
  return lastWord && namedState(lastWord);
}
