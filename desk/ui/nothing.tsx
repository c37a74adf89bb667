/** An empty cell, whose words are for a screen reader. */
export function Nothing({ words }: { words: string }) {
  return <span className="nothing visually-hidden">{words}</span>;
}
