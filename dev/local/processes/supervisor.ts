import { join } from "node:path";
import { PartLog, prepareLogs } from "./part_log.ts";
import { ROOT } from "../paths.ts";
import { type ProcessRecord, recordProcesses, signal, startTime } from "./leftovers.ts";

/** A program to run. */
export interface Program {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** A program that the stack needs all the time. */
export interface Part extends Program {
  /** Whether it works. An error means: not yet. */
  isReady(): Promise<boolean>;
  /** The signal that stops it in an orderly way. SIGTERM unless given. */
  stopSignal?: Deno.Signal;
}

/** Is told what happens. */
export interface Listener {
  /** Gets a line for the person at the terminal. */
  say?(text: string): void;
  /** Gets the lines that a part logs, as they come. */
  show?(part: string, lines: string[]): void;
  /** Gets the reason when a part that has ended cannot become ready again. It is not started any more. */
  giveUp?(reason: string): void;
}

interface Running {
  name: string;
  pid: number;
  stopSignal: Deno.Signal;
  record: ProcessRecord;
  log: PartLog;
  /**
   * Resolves when it has ended and its output is closed. When a Postgres server is killed, its child processes keep the
   * output open for a moment. No new server can start before they are gone.
   */
  ended: Promise<Deno.CommandStatus>;
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;
const STARTS_ALLOWED = 5;

/**
 * Starts the parts, restarts a part that ends by itself, and stops all of them, the last one first. A part that was
 * ready is started again however often it ends; one that cannot become ready is given up. This is own code:
 * no package on npm waits until a part is ready, stops in order and cleans up when it is killed itself.
 *
 * Each process gets its own session. So Ctrl-C in the terminal reaches only the launcher, which stops the parts in
 * order. If the launcher is killed, a guard process ends them.
 */
export class Supervisor {
  readonly #dataDir: string;
  readonly #listener: Listener;
  readonly #guard: Deno.ChildProcess;
  readonly #running: Running[] = [];
  #isStopping = false;

  constructor(dataDir: string, listener: Listener) {
    this.#dataDir = dataDir;
    this.#listener = listener;
    prepareLogs(join(dataDir, "logs"));
    this.#guard = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", join(ROOT, "dev/local/processes/guard.ts"), dataDir],
      detached: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  /**
   * Starts a part and waits until it is ready.
   *
   * @throws {Error} naming the part with its last log lines, when it ends before that
   */
  async start(part: Part): Promise<void> {
    void this.#keepAlive(part, await this.#launch(part));
  }

  /**
   * Runs a program to its end.
   *
   * @throws {Error} naming it with its last log lines, when it fails
   */
  async run(program: Program): Promise<void> {
    const running = this.#spawn(program);
    const status = await running.ended;
    if (!status.success) throw new Error(describeEnd(running, status));
  }

  /** Stops everything, the last started first. Nothing can be started afterwards. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const running of [...this.#running].reverse()) {
      signal(running.pid, running.stopSignal);
      const kill = setTimeout(() => signal(running.pid, "SIGKILL"), STOP_WITHIN_MS);
      await running.ended;
      clearTimeout(kill);
    }
    // The guard may have been killed.
    await this.#guard.stdin.close().catch(() => {});
    await this.#guard.status;
  }

  async #launch(part: Part): Promise<Running> {
    const running = this.#spawn(part);
    let status: Deno.CommandStatus | undefined;
    running.ended.then((ended) => status = ended);
    const deadline = Date.now() + READY_WITHIN_MS;
    while (!status) {
      if (await part.isReady().catch(() => false)) return running;
      if (Date.now() > deadline) {
        signal(running.pid, "SIGKILL");
        await running.ended;
        throw new Error(describe(running, `was not ready within ${READY_WITHIN_MS / 1000} s`));
      }
      await delay(25);
    }
    throw new Error(describeEnd(running, status));
  }

  async #keepAlive(part: Part, running: Running): Promise<void> {
    let reason = describeEnd(running, await running.ended);
    let failures = 0;
    while (!this.#isStopping) {
      this.#listener.say?.(`${reason}\nStarting ${part.name} again.`);
      await delay(250);
      if (this.#isStopping) return;
      try {
        const next = await this.#launch(part);
        failures = 0;
        this.#listener.say?.(`${part.name} is back.`);
        reason = describeEnd(next, await next.ended);
      } catch (error) {
        reason = (error as Error).message;
        if (++failures < STARTS_ALLOWED || this.#isStopping) continue;
        return this.#listener.giveUp?.(`${reason}\n${part.name} could not become ready ${failures} times in a row.`);
      }
    }
  }

  #spawn(program: Program & Pick<Part, "stopSignal">): Running {
    if (this.#isStopping) throw new Error("The stack is being stopped.");
    const { name } = program;
    const child = new Deno.Command(program.command, {
      args: program.args,
      env: program.env ?? {},
      cwd: program.cwd ?? ROOT,
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { pid } = child;
    const log = new PartLog(
      join(this.#dataDir, "logs", `${name}.log`),
      (lines) => this.#listener.show?.(name, lines),
    );
    const ended = Promise.all([child.status, log.follow(child.stdout), log.follow(child.stderr)])
      .then(([status]) => {
        log.close();
        this.#running.splice(this.#running.indexOf(running), 1);
        this.#record();
        return status;
      });
    const record = { name, pid, started: startTime(pid) ?? "" };
    const stopSignal = program.stopSignal ?? "SIGTERM";
    const running: Running = { name, pid, stopSignal, record, log, ended };
    this.#running.push(running);
    this.#record();
    return running;
  }

  #record(): void {
    recordProcesses(this.#dataDir, this.#running.map(({ record }) => record));
  }
}

function describeEnd(running: Running, { signal, code }: Deno.CommandStatus): string {
  return describe(running, signal ? `was ended by ${signal}` : `ended with code ${code}`);
}

function describe({ name, log }: Running, what: string): string {
  const tail = log.tail().map((line) => `  ${line}`).join("\n");
  return `${name} ${what}.${tail ? ` Its last log lines, from ${log.path}:\n${tail}` : " It logged nothing."}`;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
