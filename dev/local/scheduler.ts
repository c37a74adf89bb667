import type postgres from "postgres";
import { connect } from "./database/postgres.ts";

/** The milliseconds between two questions whether work is due. */
const ASK_EVERY_MS = 5_000;

/** The milliseconds between two checks of the alerts, and between two counts. */
const CHECK_EVERY_MS = 60_000;

/** The worker claims for 40 s. A call that takes longer than this hangs. */
const CALL_WITHIN_MS = 90_000;

/** Where the texts, the function and the person at the terminal are. */
interface Options {
  dbUrl: string;
  /** `{base_url}` */
  functionsUrl: string;
  /** WORKER_KEY */
  key: string;
  /** Whether the functions know an account at Twilio. */
  isConfigured: boolean;
  /** After how many milliseconds it is asked again whether anything is due. */
  askEvery?: number;
  /** Gets a line for the person at the terminal. */
  say?(text: string): void;
}

/**
 * Runs the jobs of a hosted project's scheduler (supabase/schemas/alerts/schedule.sql): it checks the alerts and
 * counts what leads are worth each minute, notifies agents, and calls the worker while work is due. As there, a job
 * that takes long holds up no other.
 */
export class Scheduler {
  readonly #options: Options;
  readonly #sql: postgres.Sql;
  /** For the notifications of a burst, which may take seconds. */
  readonly #notifying: postgres.Sql;
  /** For the counts of a large installation. */
  readonly #counting: postgres.Sql;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<unknown>;
  readonly #calls = new Set<Promise<void>>();
  /** The last message, which is said once and not every time. */
  #said = "";

  constructor(options: Options) {
    this.#options = options;
    this.#sql = connect(options.dbUrl);
    this.#notifying = connect(options.dbUrl);
    this.#counting = connect(options.dbUrl);
    const askEvery = options.askEvery ?? ASK_EVERY_MS;
    this.#ended = Promise.all([
      this.#every(CHECK_EVERY_MS, () => this.#sql`select private.check_alerts()`),
      this.#every(CHECK_EVERY_MS, () => this.#counting`select private.count_quality_days()`),
      this.#every(askEvery, () => notifyAgents(this.#notifying)),
      this.#every(askEvery, () => this.#callIfDue()),
    ]);
  }

  /** Ends it. A call that it has begun goes on in the function. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([this.#sql, this.#notifying, this.#counting].map((sql) => sql.end({ timeout: 0 })));
    await this.#ended;
    await Promise.all(this.#calls);
  }

  async #every(milliseconds: number, run: () => Promise<unknown>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // While Postgres or the gateway starts again, the next time will do.
      await run().catch(() => {});
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
  }

  async #callIfDue(): Promise<void> {
    const [due] = await this.#sql<{ texts: boolean; others: boolean }[]>`
      select
        public.are_texts_due() as texts,
        private.is_other_work_due() or ${this.#options.isConfigured} and private.is_media_due() as others`;
    if (due!.texts && !this.#options.isConfigured) {
      this.#sayOnce(
        "Texts wait to be sent, but TWILIO_ACCOUNT_SID is not set. Set it with TWILIO_API_KEY and TWILIO_API_SECRET in " +
          "supabase/functions/.env or the environment, and start again.",
      );
    }
    if (!due!.others && !due!.texts) return;
    const call = this.#call().catch(() => {}).finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }

  async #call(): Promise<void> {
    const { functionsUrl, key, isConfigured } = this.#options;
    const response = await fetch(`${functionsUrl}/worker/run`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(CALL_WITHIN_MS)]),
    });
    await response.body?.cancel();
    if (!isConfigured) return;
    if (response.ok) this.#said = "";
    else {
      this.#sayOnce(
        `Texts are not sent: POST /worker/run responds with ${response.status}. The gateway's log says why.`,
      );
    }
  }

  #sayOnce(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#options.say?.(text);
  }
}

/** Delivers the notifications of agents that could not be written at once, in transactions of their own, as the job `notify agents` does. */
export async function notifyAgents(sql: postgres.Sql): Promise<void> {
  const [began] = await sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  for (let goesOn = true; goesOn;) {
    const [pass] = await sql`select private.deliver_notifications(${began!.at}::text::timestamptz) as goes_on`;
    goesOn = pass!.goes_on;
  }
}
