/** A dash, paler than what there is; its words are for a screen reader and where the pointer rests. */
export function Nothing({ words }: { words: string }) {
  return (
    <span className="nothing" title={words}>
      <span aria-hidden>–</span>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
