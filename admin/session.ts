import type postgres from "postgres";
import { connect, explainConnection, findTarget, type ProjectApi, type Target } from "./database.ts";
import { CommandError, UsageError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";
import { visibleText } from "../supabase/functions/_shared/visible.ts";

/**
 * The output of a verb: to a script (`--json`), and to a person. A text that is too long to be held comes in parts,
 * and is printed as it is.
 */
export interface Outcome {
  data: unknown;
  text: string | AsyncIterable<string>;
  /** Whether the exit code is 1, although there is something to say. */
  failed?: boolean;
  /** What a person should mend, although it was done: a line each on stderr. */
  warnings?: string[];
}

/** The options that every verb takes. */
export interface GlobalOptions {
  dbUrl?: string;
  json?: boolean;
  yes?: boolean;
}

/** The context that a verb works with. The database is found and connected to when a verb first asks for it. */
export class Session {
  readonly #options: GlobalOptions;
  readonly #terminal: Terminal;
  #target?: Target;
  #sql?: postgres.Sql;
  #hasProgress = false;

  constructor(options: GlobalOptions, terminal: Terminal) {
    this.#options = options;
    this.#terminal = terminal;
  }

  get sql(): postgres.Sql {
    return this.#sql ??= connect(this.target.dbUrl);
  }

  /** The project that the command line works on. */
  get target(): Target {
    return this.#target ??= findTarget(this.#options.dbUrl);
  }

  /**
   * The API of the project.
   *
   * @param why what it is needed for
   * @throws {CommandError} where it is not known
   */
  readonly api = (why: string): ProjectApi => {
    if (this.target.api !== undefined) return this.target.api;
    throw new CommandError(`Set SUPABASE_URL and SUPABASE_SECRET_KEY: ${why}.`);
  };

  /**
   * Asks before something that cannot be undone. `--yes` is the answer beforehand.
   *
   * @param unattended whether to go on where there is no terminal to ask on, as in a script
   * @throws {CommandError} when the answer is no
   * @throws {UsageError} when nobody can be asked
   */
  readonly confirm = async (question: string, { unattended = false } = {}): Promise<void> => {
    const { ask } = this.#terminal;
    if (this.#options.yes || (unattended && ask === undefined)) return;
    if (ask === undefined) {
      throw new UsageError(`${question} There is no terminal to ask on: say so with --yes`);
    }
    if (!await ask(visibleText(question))) throw new CommandError("Nothing was changed.");
  };

  /** Reads a secret: from the terminal without showing it, or the first line of stdin. Empty where none is given. */
  readonly readSecret = (question: string): Promise<string> => this.#terminal.readSecret(question);

  /** The typed or piped lines. */
  readonly texts = (): AsyncIterable<string> => this.#terminal.lines();

  /** Shows a person a line at once, before the verb has ended. */
  readonly say = (text: string): void => {
    if (!this.#options.json) this.#terminal.say(visibleText(text));
  };

  /** Shows on the terminal how far something is that takes long, such as "12 of 340". Elsewhere shows nothing. */
  readonly progress = (text: string): void => {
    this.#hasProgress = true;
    this.#terminal.showProgress?.(text);
  };

  /** Says what is wrong with the database, where an error is about that. */
  explain(error: unknown): unknown {
    return this.#target === undefined ? error : explainConnection(error, this.#target.dbUrl);
  }

  async end(): Promise<void> {
    if (this.#hasProgress) this.#terminal.showProgress?.("");
    await this.#sql?.end();
  }
}
