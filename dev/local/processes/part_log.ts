import { join } from "node:path";

const EARLIER_STARTS = 10;
const encoder = new TextEncoder();

/** The log of one part. Its lines go to a file and to a callback, and the last ones are remembered. */
export class PartLog {
  readonly #file: Deno.FsFile;
  readonly #show: (lines: string[]) => void;
  #tail: string[] = [];

  /** @param show gets the lines as they come */
  constructor(readonly path: string, show: (lines: string[]) => void) {
    this.#file = Deno.openSync(path, { create: true, append: true, mode: 0o600 });
    this.#show = show;
  }

  /** Takes every line of a stream, until it ends. */
  async follow(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    let rest = "";
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      this.#take(lines);
    }
    if (rest) this.#take([rest]);
  }

  /** The last lines, which tell why a part ended. */
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
    this.#show(lines);
  }
}

/**
 * Prepares the folder for the logs of a new start. The logs of the last start move to `earlier/<time of that start>/`.
 * Those of the last ten starts are kept.
 */
export function prepareLogs(folder: string): void {
  const earlier = join(folder, "earlier");
  Deno.mkdirSync(earlier, { recursive: true, mode: 0o700 });
  const logs = Array.from(Deno.readDirSync(folder), ({ name }) => name)
    .filter((name) => name.endsWith(".log"));
  if (logs.length > 0) {
    const times = logs.map((name) => {
      const { birthtime, mtime } = Deno.statSync(join(folder, name));
      return Number(birthtime ?? mtime);
    });
    const began = new Date(Math.min(...times)).toISOString().replaceAll(":", "-");
    Deno.mkdirSync(join(earlier, began), { recursive: true });
    for (const name of logs) Deno.renameSync(join(folder, name), join(earlier, began, name));
  }
  const starts = Array.from(Deno.readDirSync(earlier), ({ name }) => name).sort();
  for (const name of starts.slice(0, -EARLIER_STARTS)) {
    Deno.removeSync(join(earlier, name), { recursive: true });
  }
}
