import { once } from "node:events";
import { resolve } from "node:path";
import process from "node:process";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";

/** The path of a file that a person names, from the folder where npm was called: npm runs scripts in the checkout. */
export function pathOf(file: string): string {
  return resolve(Deno.env.get("INIT_CWD") ?? ".", file);
}

/** The runner of a command line: a person, or a script. */
export interface Terminal {
  /** Prints to stdout at once; where it is undefined, all is in what the command line comes to. */
  print?: (text: string) => void;
  /** Undefined where there is nobody to ask. */
  ask?: Ask;
  /** Shows how far something is; undefined where nobody looks on. */
  showProgress?: (text: string) => void;
  /** Reads a secret, which must not stand on the command line: a shell and the list of processes would show it. */
  readSecret(question: string): Promise<string>;
  /** The typed or piped lines, until their end. */
  lines(): AsyncIterable<string>;
  /** Shows a line at once. */
  say(text: string): void;
}

/** Asks a question, and returns the line that is typed. */
export type Ask = (question: string) => Promise<string>;

/** Reads a secret: what a person types, without showing it, or the first line that a script pipes in. */
export async function readSecret(question: string): Promise<string> {
  const isPerson = Deno.stdin.isTerminal();
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: unseen, terminal: isPerson });
  try {
    if (isPerson) console.error(`${question} What you type is not shown.`);
    terminal.on("SIGINT", () => Deno.exit(130));
    const [line] = await Promise.race([once(terminal, "line"), once(terminal, "close")]);
    return line ?? "";
  } finally {
    terminal.close();
  }
}

/** Prints to stdout. Ends the program when nobody reads on, as after `| head`. */
export function print(text: string): void {
  try {
    for (let bytes = new TextEncoder().encode(text); bytes.length > 0;) {
      bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
    }
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe) Deno.exit(0);
    throw error;
  }
}

/** The question to the person at the terminal; undefined where there is none, as in a script. */
export function askOnTerminal(): Ask | undefined {
  return Deno.stdin.isTerminal() ? ask : undefined;
}

async function ask(question: string): Promise<string> {
  // The question goes to stderr, because stdout is for what the verb prints.
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await terminal.question(`${question} `);
  } finally {
    terminal.close();
  }
}

/** The display of progress for the person at the terminal; undefined where there is none. */
export function progressOnTerminal(): ((text: string) => void) | undefined {
  if (!Deno.stderr.isTerminal()) return undefined;
  // Each text takes the place of the one before it on the same line.
  return (text) => Deno.stderr.writeSync(new TextEncoder().encode(`\r\x1b[K${text}`));
}
