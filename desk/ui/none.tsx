/** That there is nothing: a pale dash, and on a phone nothing at all. `words` say it to screen readers. */
export function None({ words }: { words: string }) {
  return (
    <span className="none quiet">
      <span aria-hidden>–</span>
      <span className="visually-hidden">{words}</span>
    </span>
  );
}
