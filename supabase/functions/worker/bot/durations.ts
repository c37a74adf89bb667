/** Reads a number of years that is not a plain number: "two and a half", "a decade", "since 2015", "6 months". */
import { numberOf, wordsOf } from "./words.ts";

const YEARS = "(?:years?|yrs?|y|anos?)";
const MONTHS = "(?:months?|mos?|mths?|meses|mes)";
const NUMBER = "(\\d{1,3}(?: \\d{1,2})?|[a-z]{2,12}(?: (?:one|two|three|four|five|six|seven|eight|nine))?)";
/** They stand before or after, and say nothing. */
const BEFORE =
  "(?:(?:i|ive|im|have|has|had|been|worked|it|its|for|about|bout|around|roughly|maybe|like|probably|approximately|almost|over|nearly|at least|just|only|a little over|tengo|llevo|como|casi|unos|desde hace|hace|yes|yeah|yep|si|well|um|sorry|lol|doing|it|this|working|in|sales|selling) ){0,8}";
const AFTER =
  "(?: (?:or so|now|total|in total|of experience|experience|exp|in sales|of sales|sales|ish|in|insurance|retail|life|thanks|thank you|sir|maam|de experiencia|en ventas|worth|of|it|the|business|field|industry|lol|selling|working|combined)){0,6}";

const whole = (pattern: string) => new RegExp(`^${BEFORE}${pattern}${AFTER}$`);
const HALVES = whole(`${NUMBER}(?: ${YEARS})? (?:(?:and|n) (?:a )?half|y medio|1 2)(?: ${YEARS})?`);
const A_HALF = whole(`(?:a|an|one|un|1) ${YEARS} (?:and a half|and half|y medio)`);
const HALF = whole(`(?:half a|half of a|half|medio) ${YEARS}`);
const COUPLE = whole(`(?:a couple|couple|un par)(?:(?: of| de)? ${YEARS})?`);
const A_YEAR = whole(`(?:a|un|one) ${YEARS}`);
const DECADES = whole(`(?:a|one|${NUMBER}) decades?`);
const SINCE = whole(`(?:since|desde)(?: el)? (\\d{4})(?: so ${NUMBER}(?: ${YEARS})?)?`);
const OF_MONTHS = whole(`${NUMBER} ${MONTHS}`);
const BOTH = whole(`${NUMBER} ${YEARS}(?: and| y)? ${NUMBER} ${MONTHS}`);
const LONGEST_CAREER = 70;
/** What a text of so many words says is more than a number of years. */
const MOST_WORDS = 20;

const isNumber = (word = "") => numberOf(word) !== undefined || word === "a" || word === "an" || word === "half";

function toNumber(words = ""): number | undefined {
  const numbers = words.split(" ").map(numberOf);
  if (numbers.some((number) => number === undefined) || numbers.length > 2) return undefined;
  const [first, second = 0] = numbers as [number, number?];
  return numbers.length === 2 && (first < 20 || first % 10 !== 0) ? undefined : first + second;
}

/** The number of years that a text says in such words; undefined where it says none. */
export function readYears(text: string, now: Date): number | undefined {
  const all = wordsOf(text.replace(/(?<=\d)(?=[a-z])/gi, " "));
  if (all.length > MOST_WORDS || /\d[.,-]\d/.test(text)) return undefined;
  // "In 6 months" is to come.
  if (all.some((word, i) => word === "in" && isNumber(all[i + 1]))) return undefined;
  const words = all.join(" ");
  const month = (count: number | undefined) => count === undefined ? undefined : Math.round(count / 12 * 100) / 100;
  let found;
  if ((found = HALVES.exec(words)) !== null) {
    const count = toNumber(found[1]);
    return count === undefined ? undefined : count + 0.5;
  }
  if (A_HALF.test(words)) return 1.5;
  if (HALF.test(words)) return 0.5;
  if (COUPLE.test(words)) return 2;
  if (A_YEAR.test(words)) return 1;
  if ((found = DECADES.exec(words)) !== null) {
    const count = found[1] === undefined ? 1 : toNumber(found[1]);
    return count === undefined ? undefined : count * 10;
  }
  if ((found = SINCE.exec(words)) !== null) {
    const years = now.getUTCFullYear() - Number(found[1]);
    const said = found[2] === undefined ? years : toNumber(found[2]);
    return years >= 0 && years <= LONGEST_CAREER && said !== undefined && Math.abs(said - years) <= 1
      ? said
      : undefined;
  }
  if ((found = BOTH.exec(words)) !== null) {
    const [years, months] = [toNumber(found[1]), month(toNumber(found[2]))];
    return years === undefined || months === undefined ? undefined : years + months;
  }
  if ((found = OF_MONTHS.exec(words)) !== null) return month(toNumber(found[1]));
}
