import { CommanderError } from "commander";
import { connect, explainConnection, findTarget } from "./database.ts";
import { CommandError, type Run, type Session, UsageError } from "./outcome.ts";
import { buildProgram, type GlobalOptions } from "./program.ts";
import type { Ask } from "./terminal.ts";

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
 * @param ask undefined where there is nobody to ask
 */
export async function runCommandLine(args: string[], ask: Ask | undefined): Promise<Ran> {
  const printed: string[] = [];
  const print = (text: string) => printed.push(text);
  const run: Run = async (verb) => {
    const { dbUrl, json, yes = false } = program.opts<GlobalOptions>();
    const target = findTarget(dbUrl);
    const sql = connect(target.dbUrl);
    try {
      const { baseUrl, api } = target;
      const { data, text } = await verb({ sql, baseUrl, api, confirm: confirmation(yes, ask) });
      print(`${json ? JSON.stringify(data, null, 2) : text}\n`);
    } catch (error) {
      throw explainConnection(error, target.dbUrl);
    } finally {
      await sql.end();
    }
  };
  const program = buildProgram(run, print);
  try {
    if (args.length === 0) program.help();
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof UsageError) {
      return { code: 2, out: "", err: [error.message, error.usage].filter(Boolean).join("\n\n") };
    }
    if (error instanceof CommandError) return { code: 1, out: "", err: error.message };
    // What is left of commander's own errors is help that has been printed.
    if (!(error instanceof CommanderError)) throw error;
  }
  return { code: 0, out: printed.join(""), err: "" };
}

function confirmation(yes: boolean, ask: Ask | undefined): Session["confirm"] {
  return async (question, { unattended = false } = {}) => {
    if (yes) return;
    if (ask === undefined) {
      if (unattended) return;
      throw new CommandError(`${question} There is no terminal to ask on: say so with --yes`);
    }
    if (!await ask(question)) throw new CommandError("Nothing was changed.");
  };
}
