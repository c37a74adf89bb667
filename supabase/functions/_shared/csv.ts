import { visibleText } from "./visible.ts";

/** The first character of a formula, in a spreadsheet: also full-width, or white space before it. */
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
  const visible = visibleText(given);
  const isFormula = (FORMULA.test(given) || FORMULA.test(visible)) && !NUMBER.test(visible);
  const cell = isFormula ? `'${visible}` : visible;
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
