/** The loop of all background work: claim due items, handle them within their leases, and stop in time. */
import { describeError, logError, type LogFields } from "./log.ts";

/** A kind of background work: items that become due in the database. */
export interface Job<Item> {
  /** The maximum number of items handled at a time. */
  atOnce: number;
  /** Claims at most `max` due items. No other worker can claim them until their leases end. */
  claim(max: number): Promise<Claimed<Item>>;
  /**
   * Handles an item and records its outcome before the lease ends. If it rejects or the worker dies, the item is due
   * again when the lease ends.
   *
   * @param claimedAt when the claiming call began, in milliseconds
   */
  handle(item: Item, report: Report, claimedAt: number): Promise<Handled>;
  /** The ids to log for an item. */
  idsOf(item: Item): LogFields;
}

/** The result of a claim. */
export interface Claimed<Item> {
  items: Item[];
  /** When the next item that waits for its turn can be claimed; null if no item waits. */
  nextAt?: string | null;
}

/** The outcome of an item. */
export interface Handled {
  /** The resulting state, which the run counts; null if there is nothing to count. */
  state: string | null;
  /** Whether the other items would fail too. If so, nothing more is claimed. */
  isLast?: boolean;
}

/** Logs and counts an error that does not end the item or the job. */
export type Report = (error: unknown, fields?: LogFields) => void;

/** The context that a run passes to its jobs. */
export interface RunContext {
  /** The id of the request that started the run. */
  requestId: string;
  report: Report;
}

/** Creates a job for a run; returns null if the configuration disables it. Throws if a setting is invalid. */
export type CreateJob = (context: RunContext) => Job<unknown> | null;

/** The result of a run. */
export interface JobRun {
  /** The number of items of each job by resulting state. An item that was claimed twice counts twice. */
  counts: Record<string, Record<string, number>>;
  /** The number of internal errors, which are logged. */
  errors: number;
}

/** How long a run claims items. The platform ends a request after 150 s. */
const CLAIM_FOR_MS = 40_000;

/**
 * The maximum number of items that a run claims. Each takes about 1 ms of CPU, and the platform ends a request after 2
 * s of CPU.
 */
const CLAIM_AT_MOST = 1_000;

/** The longest wait, in milliseconds, before checking again for due items. */
const ASK_AGAIN_MS = 1_000;

/**
 * Runs all jobs concurrently until nothing is due, or until 1,000 items or 40 s have passed. An item of one job may
 * make items of another due. An error in one job does not affect the others. A job that cannot start or claim ends, and
 * its name is logged.
 *
 * @param jobs by their names in the log
 * @param required the name of the job whose failure fails the run
 * @throws the error that ended the required job, after all others have ended
 */
export async function runJobs(
  jobs: Record<string, CreateJob>,
  requestId: string,
  required?: string,
): Promise<JobRun> {
  const run = new Run(requestId, Object.keys(jobs));
  const ends = await Promise.allSettled(Object.entries(jobs).map(([name, create]) => run.job(name, create)));
  Object.keys(jobs).forEach((job, index) => {
    const end = ends[index]!;
    if (end.status === "rejected" && job !== required) run.report(end.reason, { job });
  });
  const failed = ends[Object.keys(jobs).indexOf(required ?? "")];
  if (failed?.status === "rejected") throw failed.reason;
  return { counts: run.counts, errors: run.errors };
}

class Run {
  readonly counts: JobRun["counts"] = {};
  errors = 0;
  readonly #requestId: string;
  readonly #deadline = Date.now() + CLAIM_FOR_MS;
  /** The jobs that may find due items without waiting for another job. */
  readonly #busy: Set<string>;
  #claimed = 0;
  #handled = 0;
  #handledAtChange = 0;
  /** Resolves to whether the run is over. */
  #change = Promise.withResolvers<boolean>();

  constructor(requestId: string, names: string[]) {
    this.#requestId = requestId;
    this.#busy = new Set(names);
  }

  readonly report: Report = (error, fields = {}) => {
    this.errors++;
    const cause = error instanceof Error ? error.cause ?? error : error;
    logError({ request_id: this.#requestId, event: "job_failed", ...fields, ...describeError(cause) });
  };

  async job(name: string, create: CreateJob): Promise<void> {
    const running = new Set<Promise<void>>();
    const report: Report = (error, fields) => this.report(error, { job: name, ...fields });
    try {
      const job = create({ requestId: this.#requestId, report });
      if (job !== null) await this.#work(name, job, running);
    } finally {
      await Promise.all(running);
      this.#settle(name);
    }
  }

  async #work<Item>(name: string, job: Job<Item>, running: Set<Promise<void>>): Promise<void> {
    const counts: Record<string, number> = this.counts[name] = {};
    let isLast = false;
    const handle = async (item: Item, claimedAt: number) => {
      const report: Report = (error, fields) => this.report(error, { job: name, ...job.idsOf(item), ...fields });
      try {
        const handled = await job.handle(item, report, claimedAt);
        if (handled.state !== null) counts[handled.state] = (counts[handled.state] ?? 0) + 1;
        isLast ||= handled.isLast ?? false;
      } catch (error) {
        report(error);
      }
      this.#handled++;
    };
    while (!isLast && this.#claimed < CLAIM_AT_MOST && Date.now() < this.#deadline) {
      const claimedAt = Date.now();
      const handledBefore = this.#handled;
      const { items, nextAt = null } = await job.claim(job.atOnce - running.size);
      this.#claimed += items.length;
      for (const item of items) {
        const handled = handle(item, claimedAt).finally(() => running.delete(handled));
        running.add(handled);
      }
      const wait = nextAt === null ? Infinity : Date.parse(nextAt) - Date.now();
      if (running.size > 0 || Date.now() + wait < this.#deadline) {
        await within(Math.min(Math.max(wait, 50), ASK_AGAIN_MS), Promise.race(running));
        // Claiming one item at a time would cost a query each.
        while (running.size > job.atOnce / 2) await Promise.race(running);
      } else if (this.#handled === handledBefore && await this.#rest(name)) return;
    }
  }

  /**
   * Waits until other jobs may have made items due. Returns true if the run is over. No item may have been handled since
   * the job's last claim began: the claim may have missed what that item made due.
   */
  async #rest(name: string): Promise<boolean> {
    const { promise } = this.#change;
    this.#settle(name);
    const isOver = await within(ASK_AGAIN_MS, promise) ?? false;
    this.#busy.add(name);
    return isOver;
  }

  /** Wakes the resting jobs if items were handled, or if none is left to wait for. An empty claim makes nothing due. */
  #settle(name: string): void {
    this.#busy.delete(name);
    const isOver = this.#handled === this.#handledAtChange;
    if (isOver && this.#busy.size > 0) return;
    this.#handledAtChange = this.#handled;
    this.#change.resolve(isOver);
    this.#change = Promise.withResolvers();
  }
}

/** Waits until the promise settles, for at most this many milliseconds, after which there is no value. */
async function within<Value>(ms: number, ended: Promise<Value>): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), ms));
  try {
    return await Promise.race([ended, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
