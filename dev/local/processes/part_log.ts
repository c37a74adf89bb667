import { join } from "node:path";

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

/** Prepares the folder for the logs of a new start, which take the place of those of the last one. */
export function prepareLogs(folder: string): void {
  Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const { name } of Deno.readDirSync(folder)) {
    if (name.endsWith(".log")) Deno.removeSync(join(folder, name));
  }
}
