/** A word of a command that an operator copies into a shell. A name may hold anything: a manager has written it. */
export function shellWord(word: string): string {
  return /^[\w+.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
