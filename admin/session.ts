import type postgres from "postgres";
import { connect, explainConnection, findTarget, keep, type ProjectApi, type Target } from "./database.ts";
import { codeOf, CommandError, UsageError } from "./errors.ts";
import { loginName } from "./login_name.ts";
import type { Terminal } from "./terminal.ts";
import { visibleText } from "./formats/visible.ts";

/**
 * The output of a verb, for scripts (`--json`) and for people. A text that is too long for memory comes in parts, and
 * is printed unchanged.
 */
export interface Outcome {
  data: unknown;
  text: string | AsyncIterable<string>;
  /** Whether the exit code is 1 although there is output. */
  failed?: boolean;
  /** Problems to fix although the verb succeeded: a line each on stderr. */
  warnings?: string[];
  /** The subject whose personal data it shows. It is printed after that was recorded. */
  shows?: Subject;
}

/** The subject of an action: the members that `private.action_members()` names, without personal data. */
export type Subject = Record<string, unknown>;

/** Returns the subject of an action from its result; null: nothing has changed. */
export type About<Value> = (
  value: Value,
  transaction: postgres.TransactionSql,
) => Subject | null | Promise<Subject | null>;

/** The options that every verb takes. */
export interface GlobalOptions {
  dbUrl?: string;
  json?: boolean;
  yes?: boolean;
  as?: string;
}

/** The context of a verb. It connects to the database when the verb first uses it. */
export class Session {
  readonly #options: GlobalOptions;
  readonly #terminal: Terminal;
  readonly #action: string | null;
  readonly #wordFor: (name: string) => string | undefined;
  #operator = "";
  #hasActed = false;
  #target?: Target;
  #sql?: postgres.Sql;
  #hasProgress = false;

  /**
   * @param action the name under which its actions are recorded; null: they are not
   * @param wordFor returns the word of the command line that sets a value of this name
   */
  constructor(
    options: GlobalOptions,
    terminal: Terminal,
    action: string | null,
    wordFor: (name: string) => string | undefined = () => undefined,
  ) {
    this.#options = options;
    this.#terminal = terminal;
    this.#action = action;
    this.#wordFor = wordFor;
  }

  /**
   * Determines the operator: by `--as`, else the login, else a question.
   *
   * @throws {UsageError} when nobody can be asked, or answers
   */
  async askWho(): Promise<void> {
    const known = this.#options.as ?? loginName();
    const name = known ?? (await this.#terminal.ask?.("Who does this? Your name, for `operator actions`:"))?.trim();
    if (!name) throw new UsageError("Nobody knows who does this: this user has no name. Give yours with --as <name>");
    this.#operator = name.slice(0, 128);
  }

  /**
   * Carries out an action and records the operator, in one transaction: a failure leaves no row.
   *
   * @param subject the subject of the action, or a function of the result; null: nothing has changed
   * @param dryRun whether everything is rolled back
   * @returns what `work` returns, also when it was rolled back
   */
  readonly act = async <Value>(
    work: (transaction: postgres.TransactionSql) => Promise<Value>,
    subject: Subject | About<Value>,
    dryRun = false,
  ): Promise<Value> => {
    const rollBack = new Error("rolled back");
    let value: Value;
    try {
      await this.sql.begin("read write", async (transaction) => {
        await transaction`select set_config('admin.operator', ${this.#operator}, true)`;
        value = await work(transaction);
        if (dryRun) throw rollBack;
        const about = typeof subject === "function" ? await subject(value, transaction) : subject;
        if (about === null) return;
        await transaction`select private.record_action(${this.#action}, ${
          transaction.json(about as postgres.JSONValue)
        })`;
        this.#hasActed = true;
      });
    } catch (error) {
      if (error !== rollBack) throw error;
    }
    return value!;
  };

  /** Records an action that is carried out elsewhere, or data that is shown. */
  readonly note = (subject: Subject): Promise<void> => this.act(() => Promise.resolve(), subject);

  /** Runs a further transaction of an action that is already recorded. */
  readonly goOn = <Value>(work: (transaction: postgres.TransactionSql) => Promise<Value>): Promise<Value> => {
    if (!this.#hasActed) throw new Error("nothing is stored yet of who does this");
    return this.sql.begin("read write", work) as Promise<Value>;
  };

  /** The database, for reading. Writes outside of {@link act} are refused. */
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
   * Asks for confirmation of something that cannot be undone, unless `--yes` was given.
   *
   * @param unattended whether to continue without a terminal, as in a script
   * @throws {CommandError} when the answer is no
   * @throws {UsageError} when nobody can be asked
   */
  readonly confirm = async (question: string, { unattended = false } = {}): Promise<void> => {
    const { ask } = this.#terminal;
    if (this.#options.yes || (unattended && ask === undefined)) return;
    if (ask === undefined) {
      throw new UsageError(`${question} There is no terminal to ask on: say so with --yes`);
    }
    if (!/^y(es)?$/i.test((await ask(`${visibleText(question)} [y/N]`)).trim())) {
      throw new CommandError("Nothing was changed.");
    }
  };

  /** Reads a secret from the terminal without showing it, or from the first line of stdin. Empty if there is none. */
  readonly readSecret = (question: string): Promise<string> => this.#terminal.readSecret(question);

  /** The typed or piped lines. */
  readonly texts = (): AsyncIterable<string> => this.#terminal.lines();

  /** Shows a line immediately, before the verb has ended. */
  readonly say = (text: string): void => {
    if (!this.#options.json) this.#terminal.say(visibleText(text));
  };

  /** Shows the progress of a long operation on a terminal, such as "12 of 340". */
  readonly progress = (text: string): void => {
    this.#hasProgress = true;
    this.#terminal.showProgress?.(text);
  };

  /** Explains an error of our SQL functions in the words of the command line, or an error of the database. */
  explain(error: unknown): unknown {
    if (error instanceof Error && /^PT|^22023$/.test(codeOf(error))) {
      const [, name, rest] = /^([a-z_]+): ([^]+)/.exec(error.message) ?? [];
      const word = name && (this.#wordFor(name) ?? (name.endsWith("_id") ? "" : name));
      if (word !== undefined) return new CommandError(word === "" ? rest! : `${word}: ${rest}`);
      if (codeOf(error) !== "22023") return new CommandError(error.message);
    }
    return this.#target === undefined ? error : explainConnection(error, this.#target.dbUrl);
  }

  end(): void {
    if (this.#hasProgress) this.#terminal.showProgress?.("");
    if (this.#sql) keep(this.#sql, this.target.dbUrl);
  }
}
