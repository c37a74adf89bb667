import { visibleText } from "./visible.ts";

/** A text that a spreadsheet takes for a formula, also with full-width characters, or for white space before one. */
const FORMULA = /^[=+\-@＝＋－＠\t\r\n]/;
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/**
 * Rows as CSV (RFC 4180), page by page, after a line of headings. A cell that a spreadsheet would run gets an
 * apostrophe before it; a number such as +13125550100 does not. Times are in UTC, and objects are JSON.
 */
export async function* formatCsv(
  columns: readonly string[],
  pages: Iterable<readonly object[]> | AsyncIterable<readonly object[]>,
): AsyncGenerator<string> {
  yield formatLine(columns);
  for await (const page of pages) {
    const rows = page as readonly Record<string, unknown>[];
    yield rows.map((row) => formatLine(columns.map((column) => row[column]))).join("");
  }
}

function formatLine(values: readonly unknown[]): string {
  return `${values.map(formatCell).join(",")}\r\n`;
}

function formatCell(value: unknown): string {
  const given = value instanceof Date
    ? value.toISOString()
    : typeof value === "object" && value !== null
    ? JSON.stringify(value)
    : String(value ?? "");
  const seen = visibleText(given);
  const isRun = (FORMULA.test(given) || FORMULA.test(seen)) && !NUMBER.test(seen);
  const cell = isRun ? `'${seen}` : seen;
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
