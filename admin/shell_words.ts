/** For tests: the words of a command line, as a shell splits it: `'…'` and `"…"` are one word each. */
export function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|\S+/g)]
    .map(([word, inDouble, inSingle]) => inDouble ?? inSingle ?? word);
}
