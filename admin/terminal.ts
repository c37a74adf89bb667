import { createInterface } from "node:readline/promises";
import process from "node:process";

/** Asks a question that is answered with yes or no. */
export type Ask = (question: string) => Promise<boolean>;

/** How to ask the person at the terminal; undefined where there is none, as in a script. */
export function askOnTerminal(): Ask | undefined {
  return Deno.stdin.isTerminal() ? ask : undefined;
}

async function ask(question: string): Promise<boolean> {
  // The question goes to stderr, because stdout is for what the verb prints.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}

/** How to show progress to the person at the terminal; undefined where there is none. */
export function progressOnTerminal(): ((text: string) => void) | undefined {
  if (!Deno.stderr.isTerminal()) return undefined;
  // Each text takes the place of the one before it on the same line.
  return (text) => Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text}`));
}
