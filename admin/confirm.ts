import { createInterface } from "node:readline/promises";
import process from "node:process";
import { CommandError } from "./outcome.ts";

/**
 * Asks a question that is answered with yes or no, on the terminal. The question goes to stderr, because stdout is for
 * what the verb prints.
 *
 * @throws {CommandError} when the answer is not yes, or when there is no terminal
 */
export async function confirm(question: string): Promise<void> {
  if (!Deno.stdin.isTerminal()) {
    throw new CommandError(`${question} There is no terminal to ask on: say so with --yes`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError("Nothing was changed.");
  } finally {
    terminal.close();
  }
}
