import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, type StackInfo } from "../local/mod.ts";

/** A run of one of the npm scripts. */
export interface ScriptRun {
  /** The pid of npm or of the script, which leads a process group as it does in a terminal. */
  pid: number;
  /** Its output so far, errors included. */
  output(): string;
  /** Resolves to the exit code. */
  ended: Promise<number>;
}

/** A copy of this checkout that tests may change, with a space in its path. The packages are shared. */
export class Checkout {
  readonly root: string;
  /** The further variables of the scripts' environment. */
  readonly env: Record<string, string> = { FUNCTIONS_ENV_FILE: "/dev/null" };

  /** @param only the files and folders to copy; all, unless given */
  constructor(...only: string[]) {
    this.root = join(Deno.makeTempDirSync({ prefix: "lead-intake-" }), "a copy");
    for (const path of git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", ...only)) {
      const target = join(this.root, path);
      Deno.mkdirSync(dirname(target), { recursive: true });
      try {
        Deno.copyFileSync(join(ROOT, path), target);
      } catch (error) {
        // The file was deleted, but git still lists it.
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    // A lock file that looks newer would start npm ci, which empties the shared folder first.
    const { mtime } = Deno.statSync(join(ROOT, "package-lock.json"));
    Deno.utimeSync(join(this.root, "package-lock.json"), mtime!, mtime!);
    Deno.symlinkSync(join(ROOT, "node_modules"), join(this.root, "node_modules"));
  }

  /** Starts what `npm run <script> -- <args>` runs, without npm, which takes longer than most of them. Does not wait. */
  run(script: string, ...args: string[]): ScriptRun {
    const { scripts } = JSON.parse(Deno.readTextFileSync(join(this.root, "package.json")));
    return this.#spawn("sh", ["-c", `${scripts[script]} "$@"`, script, ...args]);
  }

  /** Starts `npm <args>` and does not wait. */
  npm(...args: string[]): ScriptRun {
    return this.#spawn("npm", args);
  }

  #spawn(command: string, args: string[]): ScriptRun {
    const child = new Deno.Command(command, {
      args,
      cwd: this.root,
      env: this.env,
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    let printed = "";
    const take = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>) => {
      for await (const text of stream.pipeThrough(new TextDecoderStream())) printed += text;
    };
    const ended = Promise.all([child.status, take(child.stdout), take(child.stderr)])
      .then(([status]) => status.code);
    return { pid: child.pid, output: () => printed, ended };
  }

  /** Waits until the stack that keeps its data here is ready. */
  async ready(run: ScriptRun, dataDir: string): Promise<StackInfo> {
    let isRunning = true;
    run.ended.then(() => isRunning = false);
    while (isRunning) {
      try {
        return JSON.parse(Deno.readTextFileSync(join(dataDir, "stack.json")));
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
    throw new Error(`npm start ended before it was ready:\n${run.output()}`);
  }

  remove(): void {
    rmSync(dirname(this.root), { recursive: true, force: true });
  }
}

function git(...args: string[]): string[] {
  const { stdout } = new Deno.Command("git", { args, cwd: ROOT }).outputSync();
  return new TextDecoder().decode(stdout).split("\0").filter(Boolean);
}
