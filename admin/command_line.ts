import { CommanderError } from "commander";
import type postgres from "postgres";
import { connect, explainConnection, findTarget, type Target } from "./database.ts";
import { CommandError, type Run, type Session, UsageError } from "./outcome.ts";
import { buildProgram, type GlobalOptions } from "./program.ts";
import type { Ask, Terminal } from "./terminal.ts";
import { visibleJson, visibleText } from "./visible.ts";

/** What a command line comes to. */
export interface Ran {
  /** 0, or 1 for what failed, or 2 for wrong usage. */
  code: number;
  out: string;
  err: string;
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
    const { dbUrl, json, yes = false } = program.opts<GlobalOptions>();
    const session = new LazySession(dbUrl, confirmation(yes, terminal.ask), terminal);
    try {
      const { data, text } = await verb(session);
      print(`${json ? visibleJson(data) : visibleText(text)}\n`);
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
  readonly confirm: Session["confirm"];
  readonly readSecret: Session["readSecret"];
  readonly #dbUrl: string | undefined;
  readonly #showProgress: Terminal["showProgress"];
  #target?: Target;
  #sql?: postgres.Sql;
  #hasProgress = false;

  constructor(
    dbUrl: string | undefined,
    confirm: Session["confirm"],
    { showProgress, readSecret }: Omit<Terminal, "ask">,
  ) {
    this.#dbUrl = dbUrl;
    this.confirm = confirm;
    this.readSecret = readSecret;
    this.#showProgress = showProgress;
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

  readonly progress = (text: string): void => {
    this.#hasProgress = true;
    this.#showProgress?.(text);
  };

  explain(error: unknown): unknown {
    return this.#target === undefined ? error : explainConnection(error, this.#target.dbUrl);
  }

  async end(): Promise<void> {
    if (this.#hasProgress) this.#showProgress?.("");
    await this.#sql?.end();
  }

  #findTarget(): Target {
    return this.#target ??= findTarget(this.#dbUrl);
  }
}

function confirmation(yes: boolean, ask: Ask | undefined): Session["confirm"] {
  return async (question, { unattended = false } = {}) => {
    if (yes) return;
    if (ask === undefined) {
      if (unattended) return;
      throw new CommandError(`${question} There is no terminal to ask on: say so with --yes`);
    }
    if (!await ask(visibleText(question))) throw new CommandError("Nothing was changed.");
  };
}
