/** The errors of a command line, and the messages in place of an error of the database. */

/** A problem that the user can solve; the message says how. Exit code 1. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** An invalid command line; the message says why. Exit code 2. */
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
