import type postgres from "postgres";
import type { ProjectApi } from "./database.ts";

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

/** Carries out a verb: connects, runs it and prints its outcome. */
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
 * @param messages the message by SQLSTATE
 * @returns what to throw: a CommandError, or the same error where no message is given
 */
export function explain(error: unknown, messages: Record<string, string>): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const message = messages[code];
  return message === undefined ? error : new CommandError(message);
}
