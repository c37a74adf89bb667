import { CommanderError } from "commander";
import type postgres from "postgres";
import { connect, explainConnection, findTarget, type Target } from "./database.ts";
import { CommandError, type Run, type Session, UsageError } from "./outcome.ts";
import { buildProgram } from "./program.ts";
import type { Terminal } from "./terminal.ts";
import { visibleJson, visibleText } from "./visible.ts";

/** What a command line comes to. */
export interface Ran {
  /** 0, or 1 for what failed, or 2 for wrong usage. */
  code: number;
  out: string;
  err: string;
}

/** The options that every verb takes. */
interface GlobalOptions {
  dbUrl?: string;
  json?: boolean;
  yes?: boolean;
}

/**
 * Reads a command line and carries it out.
 *
 * @param args the words after `npm run admin --`
 */
export async function runCommandLine(args: string[], terminal: Terminal): Promise<Ran> {
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const run: Run = async (verb) => {
    const options = program.opts<GlobalOptions>();
    const session = new LazySession(options, terminal);
    try {
      const { data, text } = await verb(session);
      print(`${options.json ? visibleJson(data) : visibleText(text)}\n`);
    } catch (error) {
      throw session.explain(error);
    } finally {
      await session.end();
    }
  };
  const program = buildProgram(run, print);
  try {
    if (args.length === 0) program.help();
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof UsageError) {
      const err = [error.message, error.usage].filter(Boolean).join("\n\n");
      return { code: 2, out: "", err: visibleText(err) };
    }
    if (error instanceof CommandError) return { code: 1, out: "", err: visibleText(error.message) };
    // What is left of commander's own errors is help that has been printed.
    if (!(error instanceof CommanderError)) throw error;
  }
  return { code: 0, out: printed.join(""), err: "" };
}

/** A session that finds the database and connects to it when a verb first asks for it. */
class LazySession implements Session {
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
    return this.#sql ??= connect(this.#findTarget().dbUrl);
  }

  get baseUrl(): string {
    return this.#findTarget().baseUrl;
  }

  get api(): Session["api"] {
    return this.#findTarget().api;
  }

  readonly confirm: Session["confirm"] = async (question, { unattended = false } = {}) => {
    const { ask } = this.#terminal;
    if (this.#options.yes || (unattended && ask === undefined)) return;
    if (ask === undefined) {
      throw new CommandError(`${question} There is no terminal to ask on: say so with --yes`);
    }
    if (!await ask(visibleText(question))) throw new CommandError("Nothing was changed.");
  };

  readonly readSecret: Session["readSecret"] = (question) => this.#terminal.readSecret(question);

  readonly progress: Session["progress"] = (text) => {
    this.#hasProgress = true;
    this.#terminal.showProgress?.(text);
  };

  explain(error: unknown): unknown {
    return this.#target === undefined ? error : explainConnection(error, this.#target.dbUrl);
  }

  async end(): Promise<void> {
    if (this.#hasProgress) this.#terminal.showProgress?.("");
    await this.#sql?.end();
  }

  #findTarget(): Target {
    return this.#target ??= findTarget(this.#options.dbUrl);
  }
}
