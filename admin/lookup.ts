/** The name that a person probably meant who mistyped it or its beginning; undefined: none is near. */
export function mostSimilar(given: string, names: readonly string[]): string | undefined {
  const typed = given.slice(0, 100).toLowerCase();
  const [nearest] = names
    .flatMap((name) => [name, name.slice(0, typed.length)].map((known) => ({ name, known })))
    .map(({ name, known }) => ({ name, edits: editsBetween(typed, known.toLowerCase()) }))
    .filter(({ edits }) => edits <= Math.ceil(typed.length / 3))
    .sort((one, other) => one.edits - other.edits);
  return nearest?.name;
}

/** The letters that are changed, added or left out between two texts (Levenshtein distance). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const replaced = row[j]! + Number(letter !== other[j]);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
