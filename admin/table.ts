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

/** An object as a table with a line for each field. */
export function formatFields(object: object): string {
  return formatTable(Object.entries(object).map(([field, value]) => ({ field, value })));
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (value instanceof Date) return formatTime(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  // On one line.
  return visibleText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")) || "-";
}

/** A time in UTC to the minute. */
export function formatTime(time: Date): string {
  return time.toISOString().slice(0, 16).replace("T", " ");
}
