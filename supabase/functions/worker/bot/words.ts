/** The words of a text, and lists of phrases to find among them. */

/** The words of a text in lower case, without accents, apostrophes and punctuation. */
export const wordsOf = rememberingLatest((text: string): readonly string[] => wordsIn(plain(text)));

/** The clauses of a text, each by its words; of equal ones the first. */
export const clausesOf = rememberingLatest((text: string): readonly (readonly string[])[] =>
  [...new Set(plain(text).split(/[.,;:!?()\n]+/))].map(wordsIn).filter((words) => words.length > 0)
);

function plain(text: string): string {
  return text.normalize("NFKD").toLowerCase().replace(/[\p{M}'’‘`´ʼ＇]/gu, "");
}

function wordsIn(plain: string): string[] {
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** A function of a text that remembers its result of a long one until the next: a dozen readers ask for the same. */
function rememberingLatest<T>(read: (text: string) => T): (text: string) => T {
  let latest: { text: string; result: T } | undefined;
  return (text) => {
    if (text.length < LONG) return read(text);
    if (latest?.text !== text) latest = { text, result: read(text) };
    return latest.result;
  };
}
const LONG = 160;

/** A function of a text that remembers its latest results: what a script says is read with each text. */
export function remembering<T>(read: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>();
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    if (results.size >= MOST_RESULTS) results.clear();
    const result = read(text);
    results.set(text, result);
    return result;
  };
}
const MOST_RESULTS = 500;

/** The phrases of a list with commas or line breaks between them, each by its words with one space between them. */
export function phrasesIn(list: string): string[] {
  return list.split(/[,\n]/).map((phrase) => wordsOf(phrase).join(" ")).filter((phrase) => phrase !== "");
}

/** An expression that finds wordings, one a line, among words with one space between them. Each is an expression. */
export function anyOf(wordings: string): RegExp {
  const lines = wordings.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return new RegExp(`(?<= |^)(?:${lines.join("|")})(?= |$)`, "g");
}

/** The numbers below 100 that have a word of their own, in English and Spanish. */
const NUMBERS = new Map([
  ..."zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split(" ")
    .concat("seventeen eighteen nineteen".split(" ")).map((word, i) => [word, i] as const),
  ..."cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis".split(" ")
    .concat("diecisiete dieciocho diecinueve veinte".split(" ")).map((word, i) => [word, i] as const),
  ..."treinta cuarenta cincuenta".split(" ").map((word, i) => [word, (i + 3) * 10] as const),
  ..."twenty thirty forty fifty sixty seventy eighty ninety".split(" ").map((word, i) => [word, (i + 2) * 10] as const),
]);

/** The number that a word is; undefined for any other word. */
export function numberOf(word: string): number | undefined {
  return /^\d{1,15}$/.test(word) ? Number(word) : NUMBERS.get(word);
}
