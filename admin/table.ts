import { visibleText } from "./visible.ts";

/** Rows as a table for people: a line of headings, columns as wide as their longest value. */
export function formatTable(objects: readonly object[]): string {
  const rows = objects as readonly Record<string, unknown>[];
  const headings = Object.keys(rows[0] ?? {});
  const lines = [headings, ...rows.map((row) => headings.map((name) => formatCell(row[name])))];
  const widths = headings.map((_, i) => Math.max(...lines.map((line) => line[i]!.length)));
  return lines
    .map((line) => line.map((cell, i) => cell.padEnd(widths[i]!)).join("  ").trimEnd())
    .join("\n");
}

/**
 * The first rows of a list as a table, and how many more there are.
 *
 * @param total how many there are in all
 * @param none what to say when there is none
 */
export function listed(rows: readonly object[], total: number, none: string): string {
  if (rows.length === 0) return none;
  const more = total - rows.length;
  return formatTable(rows) + (more > 0 ? `\n\n${more} more: see --limit` : "");
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (value instanceof Date) return value.toISOString().slice(0, 16).replace("T", " ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // On one line.
  return visibleText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")) || "-";
}
