import { namedState } from "../../_shared/states.ts";

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
