/** Rows as a table for people: a line of headings, columns as wide as their longest value. */
export function formatTable(rows: Record<string, unknown>[]): string {
  const headings = Object.keys(rows[0] ?? {});
  const lines = [headings, ...rows.map((row) => headings.map((name) => formatCell(row[name])))];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) => line.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd())
    .join("\n");
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace("T", " ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  // Control characters could move the cursor or colour the terminal; a payload may hold any.
  return (typeof value === "object" ? JSON.stringify(value) : String(value))
    .replace(/\p{Cc}+/gu, " ");
}
