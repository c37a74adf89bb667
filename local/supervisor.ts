import { rmSync } from "node:fs";
import { join } from "node:path";
import { PartLog, say } from "./output.ts";
import { type ProcessRecord, recordProcesses, signal, startTime } from "./processes.ts";
import { ROOT } from "./paths.ts";

/** A program to run. */
export interface Program {
  name: string;
  command: string;
  args: string[];
  env?: Record<string, string>;
  cwd?: string;
  /** Keeps its output in the log file alone. */
  isQuiet?: boolean;
}

/** A program that the stack needs all the time. */
export interface Part extends Program {
  /** Asks it for a sign that it works; an error means not yet. */
  isReady(): Promise<boolean>;
  /** What makes it stop in an orderly way; SIGTERM unless given. */
  stopSignal?: Deno.Signal;
  /** The part whose restart this one does not get over by itself, so that it is started again with it. */
  restartsWith?: string;
}

interface Running {
  part: Program & Pick<Part, "stopSignal" | "restartsWith">;
  /** Ended by us, to be started again with the part it restarts with. */
  isReplaced?: boolean;
  child: Deno.ChildProcess;
  log: PartLog;
  record: ProcessRecord;
  /**
   * Resolves to how it ended, once nothing holds its output open any more: the client processes of a Postgres server that
   * was killed do for a moment, and keep a new one out.
   */
  ended: Promise<string>;
}

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 10_000;
const DEATHS_ALLOWED = 2;
const DEATHS_WITHIN_MS = 30_000;

/**
 * Starts the parts, starts one that dies again on the same port, and stops them all, last first.
 *
 * Every process gets a session of its own, so that the terminal's Ctrl-C reaches the launcher alone and the parts stop
 * in order. Should the launcher be killed, a guard process ends them.
 */
export class Supervisor {
  readonly #dataDir: string;
  readonly #giveUp: (reason: string) => void;
  readonly #guard: Deno.ChildProcess;
  readonly #guardInput: WritableStreamDefaultWriter<Uint8Array>;
  readonly #running: Running[] = [];
  /** Names of the parts that have died and are not back yet. */
  readonly #down = new Set<string>();
  #stopping = false;

  /** @param giveUp called with the reason when a part keeps dying */
  constructor(dataDir: string, giveUp: (reason: string) => void) {
    this.#dataDir = dataDir;
    this.#giveUp = giveUp;
    rmSync(join(dataDir, "logs"), { recursive: true, force: true });
    Deno.mkdirSync(join(dataDir, "logs"));
    this.#guard = new Deno.Command("sh", {
      args: [join(ROOT, "local/guard.sh"), join(dataDir, "stack.json")],
      cwd: "/",
      detached: true,
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    this.#guardInput = this.#guard.stdin.getWriter();
  }

  /**
   * Starts a part and waits until it is ready.
   *
   * @throws {Error} naming the part with its last log lines, when it ends before that
   */
  async start(part: Part): Promise<void> {
    const running = await this.#launch(part);
    void this.#keepAlive(part, running);
  }

  /**
   * Runs a program to its end.
   *
   * @throws {Error} naming it with its last log lines, when it fails
   */
  async run(program: Program): Promise<void> {
    const running = this.#spawn(program);
    const how = await running.ended;
    if (!(await running.child.status).success) throw new Death(running, how);
  }

  /** Stops everything, the last started first. Nothing can be started afterwards. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const running of [...this.#running].reverse()) {
      signal(running.child.pid, running.part.stopSignal ?? "SIGTERM");
      const kill = setTimeout(() => signal(running.child.pid, "SIGKILL"), STOP_WITHIN_MS);
      await running.ended;
      clearTimeout(kill);
    }
    // The guard may have been killed before.
    await this.#guardInput.close().catch(() => {});
    await this.#guard.status;
  }

  async #launch(part: Part): Promise<Running> {
    const running = this.#spawn(part);
    let end: string | undefined;
    running.ended.then((how) => end = how);
    const deadline = Date.now() + READY_WITHIN_MS;
    while (end === undefined) {
      if (await part.isReady().catch(() => false)) return running;
      if (Date.now() > deadline) {
        signal(running.child.pid, "SIGKILL");
        await running.ended;
        throw new Death(running, `was not ready within ${READY_WITHIN_MS / 1000} s`);
      }
      await delay(25);
    }
    throw new Death(running, end);
  }

  async #keepAlive(part: Part, first: Running): Promise<void> {
    let deaths: number[] = [];
    let death = new Death(first, await first.ended);
    while (!this.#stopping) {
      this.#down.add(part.name);
      if (death.running.isReplaced || this.#down.has(part.restartsWith ?? "")) {
        say(`Starting ${part.name} again, as ${part.restartsWith} is.`);
        while (this.#down.has(part.restartsWith ?? "") && !this.#stopping) await delay(25);
      } else {
        const now = Date.now();
        deaths = [...deaths.filter((time) => time > now - DEATHS_WITHIN_MS), now];
        if (deaths.length > DEATHS_ALLOWED) return this.#giveUp(death.message);
        say(`${death.message}\nStarting ${part.name} again.`);
        await delay(250);
      }
      if (this.#stopping) return;
      try {
        const running = await this.#launch(part);
        say(`${part.name} is back.`);
        this.#down.delete(part.name);
        this.#replaceFollowers(part.name);
        death = new Death(running, await running.ended);
      } catch (error) {
        if (!(error instanceof Death)) return this.#giveUp((error as Error).message);
        death = error;
      }
    }
  }

  #replaceFollowers(name: string): void {
    for (const running of this.#running.filter(({ part }) => part.restartsWith === name)) {
      running.isReplaced = true;
      // It may wait for the lost part before it ends in an orderly way.
      signal(running.child.pid, "SIGKILL");
    }
  }

  #spawn(part: Program): Running {
    if (this.#stopping) throw new Error("stopping");
    const child = new Deno.Command(part.command, {
      args: part.args,
      env: part.env ?? {},
      cwd: part.cwd ?? ROOT,
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#tellGuard(`start ${child.pid}`);
    const path = join(this.#dataDir, "logs", `${part.name}.log`);
    const log = new PartLog(part.name, path, part.isQuiet);
    const record = { name: part.name, pid: child.pid, started: startTime(child.pid) ?? "" };
    const running: Running = { part, child, log, record, ended: Promise.resolve("") };
    running.ended = this.#waitForEnd(running);
    this.#running.push(running);
    this.#record();
    return running;
  }

  async #waitForEnd(running: Running): Promise<string> {
    const { child, log } = running;
    const [status] = await Promise.all([
      child.status,
      log.follow(child.stdout),
      log.follow(child.stderr),
    ]);
    log.close();
    this.#tellGuard(`end ${child.pid}`);
    this.#running.splice(this.#running.indexOf(running), 1);
    this.#record();
    return status.signal ? `was ended by ${status.signal}` : `ended with code ${status.code}`;
  }

  #record(): void {
    recordProcesses(this.#dataDir, this.#running.map(({ record }) => record));
  }

  #tellGuard(line: string): void {
    this.#guardInput.write(new TextEncoder().encode(`${line}\n`)).catch(() => {
      // Without its guard the stack works as before, and the next start ends what a killed launcher leaves.
    });
  }
}

/** How a process ended, with its last log lines. */
class Death extends Error {
  constructor(readonly running: Running, how: string) {
    const tail = running.log.tail().map((line) => `  ${line}`).join("\n");
    super(
      `${running.part.name} ${how}.${
        tail ? ` Its last log lines:\n${tail}` : " It logged nothing."
      }`,
    );
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
