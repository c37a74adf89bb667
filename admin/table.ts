import { visibleText } from "./formats/visible.ts";

/** The width of the terminal in characters; infinite in scripts. */
let width = Infinity;

/** Makes tables fit a terminal. */
export function fitTables(columns: number): void {
  width = columns;
}

/** Columns with our ids: their first 8 characters distinguish them, and every command accepts these. */
const OUR_ID = /^(id|(lead|order|agency|agent|delivery|message)_id)$/;
const ID_LENGTH = 8;

/** Texts that are cut keep so many characters: a phone number of North America is whole. */
const MIN_WIDTH = 12;

/**
 * Rows as a table for people: a line of headings, and columns as wide as their longest value. Columns that are empty in
 * all rows are omitted, and so are ids beside a name, such as `agency_id` beside `agency`. On a terminal the longest
 * texts are truncated so that a line fits; if that is not enough, each row becomes several lines.
 */
export function formatTable(objects: readonly object[]): string {
  const rows = objects as readonly Record<string, unknown>[];
  const names = Object.keys(rows[0] ?? {});
  const columns = names.filter((name) => !names.some((other) => name === `${other}_id`))
    .map((name) => [name, ...rows.map((row) => formatCell(row[name], name))])
    .filter(([, ...cells]) => cells.some((cell) => cell !== EMPTY));
  const isText = columns.map(([name]) => rows.some((row) => typeof row[name!] === "string"));
  let widths = columns.map((cells) => Math.max(...cells.map((cell) => cell.length)));
  const isTooWide = () => widths.reduce((sum, each) => sum + each + 2, -2) > width;
  for (let most = Math.max(...widths); isTooWide() && most >= MIN_WIDTH; most--) {
    widths = widths.map((each, i) => isText[i] ? Math.min(each, most) : each);
  }
  const lines = ["", ...rows].map((_, line) => columns.map((cells) => cells[line]!));
  if (!isTooWide()) {
    return lines.map((cells) => cells.map((cell, i) => cut(cell, widths[i]!).padEnd(widths[i]!)).join("  ").trimEnd())
      .join("\n");
  }
  const [headings, ...others] = lines;
  return others.map((cells) => formatFields(Object.fromEntries(cells.map((cell, i) => [headings![i]!, cell])))).join(
    "\n\n",
  );
}

/** The first 50 rows as a table, and how many more there are. */
export function formatFirst(rows: readonly object[]): string {
  const more = rows.length - 50;
  return formatTable(rows.slice(0, 50)) + (more > 0 ? `\n${more} more` : "");
}

/** An object with a line for each field that is not empty, and each value as a whole. */
export function formatFields(object: object): string {
  const fields = Object.entries(object).map(([field, value]) => [field, formatCell(value)])
    .filter(([, value]) => value !== EMPTY);
  const longest = Math.max(...fields.map(([field]) => field!.length));
  return fields.map(([field, value]) => `${field!.padEnd(longest)}  ${value}`).join("\n");
}

const EMPTY = "-";

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  // Without the first half of a character that is two UTF-16 units.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

function formatCell(value: unknown, name = ""): string {
  if (value === null || value === undefined || value === "") return EMPTY;
  if (value instanceof Date) return formatTime(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
    return formatCell(value.join(" "));
  }
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (OUR_ID.test(name)) return text.slice(0, ID_LENGTH);
  // On one line.
  return visibleText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, " ")) || EMPTY;
}

/** A time to the minute, in an IANA time zone. */
export function formatTime(time: Date, timeZone = "UTC"): string {
  return time.toLocaleString("sv-SE", { timeZone }).slice(0, 16);
}
