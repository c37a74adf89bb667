import { stateCode } from "../../_shared/states.ts";

/** The state and the ZIP code are within this many characters of an address's end. */
const LONGEST_END = 80;

const ZIP = /^\d{5}(?:-\d{4})?$/;
const ZIP_AT_END = / \d{5}(?:-\d{4})?$/;
const US_AT_END = / USA?$/;
const US = /^(?:US|USA|United States(?: of America)?)$/i;

/**
 * Returns the two-letter code of the state at the end of a US postal address: `12 Pine St\nSeattle, WA 98101`. The
 * state must precede a ZIP code or follow a comma: the end of `5 Elm St NE` is a direction.
 */
export function stateOfAddress(address: string): string | undefined {
  const parts = address.slice(-LONGEST_END).split(/[,\n]/)
    .map((part) => part.replace(/\s+/g, " ").trim().replace(US_AT_END, ""))
    .filter((part) => part !== "" && !US.test(part));
  const zip = ZIP.test(parts.at(-1) ?? "") ? parts.pop() : undefined;
  const end = parts.pop() ?? "";
  if (zip !== undefined || ZIP_AT_END.test(end)) return stateCode(end.replace(ZIP_AT_END, ""));
  // In lower case, only a whole text counts as a state's code, not its last word.
  return parts.length > 0 ? stateCode(`${parts.at(-1)}, ${end.toLowerCase()}`) : undefined;
}
