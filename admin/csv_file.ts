import { CsvError, parse } from "csv-parse/sync";
import { CommandError } from "./errors.ts";
import { pathOf } from "./terminal.ts";

/** A row of a CSV file below its header. */
export interface CsvRow {
  /** The line in which it ends. */
  line: number;
  /** Its cells, trimmed, by the names of the header; an empty cell has none. */
  values: Record<string, string>;
  /** Why it cannot be read: it has more cells than the header. */
  error?: string;
}

/**
 * Reads a CSV file (RFC 4180): UTF-8 with or without a byte order mark, separated by commas, with a header row. Lines may
 * end with CRLF or LF, and empty ones are left out.
 *
 * @throws {CommandError} naming the file, and the line or the column that is wrong
 */
export function readCsv(file: string): { columns: string[]; rows: CsvRow[] } {
  const [header, ...lines] = readLines(file);
  if (header === undefined) throw new CommandError(`${file} is empty: its first line must name the columns`);
  const columns = header.record.map((name) => name.trim());
  const wrong = columns.findIndex((name, i) => name === "" || columns.indexOf(name) < i);
  if (wrong >= 0) {
    const problem = columns[wrong] === "" ? "has no name" : `has the name of another one: "${columns[wrong]}"`;
    throw new CommandError(`${file}: column ${wrong + 1} ${problem}. The first line must name the columns`);
  }
  const rows = lines.map(({ record, info: { lines: line } }) => ({
    line,
    values: Object.fromEntries(
      columns.map((name, i) => [name, (record[i] ?? "").trim()]).filter(([, cell]) => cell !== ""),
    ),
    ...(record.length > columns.length && { error: `it has ${record.length} cells, and the header ${columns.length}` }),
  }));
  return { columns, rows };
}

function readLines(file: string): { record: string[]; info: { lines: number } }[] {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Deno.readFileSync(pathOf(file)));
    return parse(text, {
      info: true,
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new CommandError(`There is no file ${file}`);
    if (error instanceof TypeError) throw new CommandError(`${file} is not UTF-8: save it as "CSV UTF-8"`);
    if (error instanceof CsvError) throw new CommandError(`${file} cannot be read as CSV: ${error.message}`);
    throw error;
  }
}
