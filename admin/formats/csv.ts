import { visibleText } from "./visible.ts";

/**
 * Where a spreadsheet would run what follows: at the beginning of a cell, and after `;`, a tab or a line end, which begin
 * a cell where the reader's locale separates cells by `;` or tabs. A formula begins with one of these characters, also
 * full-width, after any blanks and quotation marks. A number is none.
 */
const FORMULA =
  /(?<=^|[;\t\n])(?=(?:[^\S\t\n]|[\u2800"])*[=+\-@＝＋－＠])(?![^\S\t\n]*[+-]?\d+(?:\.\d+)?[^\S\t\n]*(?:[;\t\n]|$))/g;

/**
 * Rows as CSV (RFC 4180), page by page, after a line of headings. What a spreadsheet would run gets an apostrophe before
 * it; a number such as +13125550100 does not. Times are in UTC, and objects are JSON.
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
  const cell = visibleText(given).replace(FORMULA, "'");
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
