import { describeError, logError } from "../_shared/log.ts";
import { takeBotTurns } from "./bot/turns.ts";
import type { Report } from "./report.ts";
import { queueGreetings, takeOverTexts } from "./waiting.ts";

/** The steps before the worker claims texts, which may make more texts due. Each returns the number of its rows. */
const STEPS: Record<string, (report: Report) => Promise<number>> = {
  take_over_texts: takeOverTexts,
  queue_greetings: queueGreetings,
  take_bot_turns: takeBotTurns,
};

/** The milliseconds that texts wait for the steps. A step that takes longer goes on beside them. */
const PATIENCE_MS = 1_000;

/**
 * The steps of one call of the worker. Whatever happens in one, the others and the texts go on. One that fails is left
 * out until the next call.
 */
export class Steps {
  /** The number of errors. */
  errors = 0;
  readonly #requestId: string;
  readonly #atWork = new Map<string, Promise<void>>();
  readonly #failed = new Set<string>();
  #done = 0;

  constructor(requestId: string) {
    this.#requestId = requestId;
  }

  /** Logs and counts an error. */
  readonly report: Report = (error, fields) => {
    this.errors++;
    logError({ request_id: this.#requestId, event: "text_work_failed", ...fields, ...describeError(error) });
  };

  /** Takes each step that is not at work already. Returns whether there may be more to do. */
  async take(): Promise<boolean> {
    for (const [name, step] of Object.entries(STEPS)) {
      if (this.#atWork.has(name) || this.#failed.has(name)) continue;
      this.#atWork.set(name, this.#take(name, step).finally(() => this.#atWork.delete(name)));
    }
    await within(PATIENCE_MS, this.end());
    const isBusy = this.#done > 0 || this.#atWork.size > 0;
    this.#done = 0;
    return isBusy;
  }

  /** Waits for the steps that are at work. */
  async end(): Promise<void> {
    await Promise.all(this.#atWork.values());
  }

  async #take(name: string, step: (report: Report) => Promise<number>): Promise<void> {
    try {
      this.#done += await step(this.report);
    } catch (error) {
      this.#failed.add(name);
      this.report(error, { step: name });
    }
  }
}

/** Waits until something has ended, or this many milliseconds. */
export async function within(ms: number, ended: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => timer = setTimeout(resolve, ms));
  await Promise.race([ended, timeout]);
  clearTimeout(timer);
}
