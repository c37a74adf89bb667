const REASONS_SHOWN = 3;

/** A row for a person: the most frequent reasons of a field {<reason>: number} in words, at the end. */
export function withReasons<Row extends object>(row: Row, field: string): object {
  const { [field]: counts, ...others } = row as Record<string, unknown>;
  if (counts === undefined) return row;
  const reasons = Object.entries(counts as Record<string, number>)
    .sort(([, one], [, other]) => other - one)
    .map(([reason, count]) => `${count} × ${reason}`);
  const more = reasons.length - REASONS_SHOWN;
  const shown = reasons.slice(0, REASONS_SHOWN).join("; ");
  return { ...others, reasons: more > 0 ? `${shown}; ${more} more` : shown };
}
