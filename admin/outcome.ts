import type postgres from "postgres";
import type { ProjectApi } from "./database.ts";
import { formatTable } from "./table.ts";

/** What a verb has to say: to a script (`--json`), and to a person. */
export interface Outcome {
  data: unknown;
  text: string;
}

/** What a verb works with. The database is found and connected to when a verb first asks for it. */
export interface Session {
  sql: postgres.Sql;
  /** `{base_url}` of the project, for the examples that are shown. */
  baseUrl: string;
  /** The project's API; undefined where its address and key are not known. */
  api?: ProjectApi;
  /**
   * Asks before something that cannot be undone. `--yes` is the answer beforehand.
   *
   * @param unattended whether to go on where there is no terminal to ask on, as in a script
   * @throws {CommandError} when the answer is no, or nobody can be asked
   */
  confirm(question: string, options?: { unattended?: boolean }): Promise<void>;
  /** Reads a secret: from the terminal without showing it, or the first line of stdin. Empty where none is given. */
  readSecret(question: string): Promise<string>;
  /** Shows on the terminal how far something is that takes long, such as "12 of 340". Elsewhere shows nothing. */
  progress(text: string): void;
}

/** Carries out a verb: runs it and prints its outcome. */
export type Run = (verb: (session: Session) => Promise<Outcome>) => Promise<void>;

/** Something that the user has to change; the message says what, and how. Exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** A command line that cannot be understood; the message says why. Exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The usage of the verb, to show below the message. */
  readonly usage?: string;

  constructor(message: string, usage?: string) {
    super(message);
    this.usage = usage;
  }
}

/**
 * Puts a message for the user in place of an error of the database.
 *
 * @param messages the message by SQLSTATE; any other error is thrown as it is
 */
export async function explained<Value>(
  work: Promise<Value>,
  messages: Record<string, string>,
): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    const message = messages[codeOf(error)];
    throw message === undefined ? error : new CommandError(message);
  }
}

/** The SQLSTATE or the code of the system of an error; an empty text where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Rows of the database. */
type Rows = readonly postgres.Row[];

/**
 * Rows as JSON for a script, and as a table for a person.
 *
 * @param none what to say when there is none
 * @param shown what a person sees of a row
 */
export function list(
  rows: Rows,
  none: string,
  shown: (row: postgres.Row) => object = same,
): Outcome {
  return { data: rows, text: rows.length > 0 ? formatTable(rows.map(shown)) : none };
}

/** As {@link list}, the first rows of a query, and how many more there are. */
export async function listFirst(
  sql: postgres.Sql,
  limit: number,
  query: postgres.Fragment,
  none: string,
  shown?: (row: postgres.Row) => object,
): Promise<Outcome> {
  const rows = await sql`${query} limit ${limit}`;
  const { data, text } = list(rows, none, shown);
  if (rows.length < limit) return { data, text };
  const [{ more }] = await sql<[{ more: number }]>`
    select count(*)::int - ${rows.length} as more from (${query}) q`;
  return { data, text: more > 0 ? `${text}\n\n${more} more: see --limit` : text };
}

const same = (row: postgres.Row) => row;
