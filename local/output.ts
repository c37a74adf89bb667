const COLOURS = [36, 33, 35, 32, 34];
const colourOf = new Map<string, number>();
const encoder = new TextEncoder();

/** Prints a line, and carries on when nobody reads it any more (`npm start | head`, a closed terminal). */
export function say(text: string): void {
  write(`${text}\n`);
}

/** The log of one part: kept in a file, shown with the part's name before each line, its last lines remembered. */
export class PartLog {
  readonly #name: string;
  readonly #file: Deno.FsFile;
  readonly #isQuiet: boolean;
  #tail: string[] = [];

  constructor(name: string, path: string, isQuiet = false) {
    this.#name = name;
    this.#isQuiet = isQuiet;
    this.#file = Deno.openSync(path, { create: true, append: true, mode: 0o600 });
  }

  /** Takes all that a stream gives, until it ends. */
  async follow(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.#take(lines);
    }
    if (rest) this.#take([rest]);
  }

  /** The last lines, for telling why the part died. */
  tail(): string[] {
    return this.#tail;
  }

  close(): void {
    this.#file.close();
  }

  #take(lines: string[]): void {
    if (lines.length === 0) return;
    this.#tail = [...this.#tail, ...lines.slice(-10)].slice(-10);
    this.#file.writeSync(encoder.encode(lines.join("\n") + "\n"));
    if (this.#isQuiet) return;
    const prefix = label(this.#name);
    write(lines.map((line) => `${prefix} ${line}\n`).join(""));
  }
}

function label(name: string): string {
  const text = `${name.padEnd(9)} |`;
  if (!Deno.stdout.isTerminal()) return text;
  if (!colourOf.has(name)) colourOf.set(name, COLOURS[colourOf.size % COLOURS.length]!);
  return `\x1b[${colourOf.get(name)}m${text}\x1b[0m`;
}

function write(text: string): void {
  const bytes = encoder.encode(text);
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stdout.writeSync(bytes.subarray(written));
    }
  } catch {
    // A launcher that cannot print must still be able to stop its parts.
  }
}
