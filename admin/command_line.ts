import { CommanderError } from "commander";
import type { Run } from "./command.ts";
import { CommandError, UsageError } from "./errors.ts";
import { buildProgram } from "./program.ts";
import { type GlobalOptions, Session } from "./session.ts";
import type { Terminal } from "./terminal.ts";
import { visibleJson, visibleText } from "./formats/visible.ts";

/** The result of a command line. */
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
  const print = terminal.print ?? ((text: string) => printed.push(text));
  let code = 0;
  let err = "";
  const run: Run = async (work, verb) => {
    const options = program.opts<GlobalOptions>();
    const action = verb.recordedAs ?? null;
    const session = new Session(options, terminal, action, (name) => verb.wordFor(name));
    try {
      if (action !== null) await session.askWho();
      const { data, text, failed, shows, warnings = [] } = await work(session);
      if (shows !== undefined) await session.note(shows);
      if (failed) code = 1;
      err = visibleText(warnings.map((warning) => `Warning: ${warning}`).join("\n"));
      if (options.json) print(`${visibleJson(data)}\n`);
      else if (typeof text === "string") print(`${visibleText(text)}\n`);
      else for await (const part of text) print(part);
    } catch (error) {
      throw session.explain(error);
    } finally {
      session.end();
    }
  };
  const program = buildProgram(run, print);
  try {
    if (args.length === 0) program.help();
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    if (error instanceof UsageError) {
      const message = [error.message, error.usage].filter(Boolean).join("\n\n");
      return { code: 2, out: "", err: visibleText(message) };
    }
    if (error instanceof CommandError) return { code: 1, out: "", err: visibleText(error.message) };
    // Commander's other errors are help that has been printed.
    if (!(error instanceof CommanderError)) throw error;
  }
  return { code, out: printed.join(""), err };
}
