import type postgres from "postgres";
import { connect } from "./database/postgres.ts";

/** The milliseconds between two questions whether texts are due. */
const ASK_EVERY_MS = 5_000;

/** A call of the function claims texts for 40 s. After this time the function hangs. */
const CALL_WITHIN_MS = 90_000;

/** Where the texts, the function and the person at the terminal are. */
interface Options {
  dbUrl: string;
  /** `{base_url}` */
  functionsUrl: string;
  /** TEXTING_WORKER_KEY */
  key: string;
  /** Whether the functions know an account at Twilio. */
  isConfigured: boolean;
  /** After how many milliseconds it is asked again whether texts are due. */
  askEvery?: number;
  /** Gets a line for the person at the terminal. */
  say?(text: string): void;
}

/**
 * Calls the function that sends texts when texts are due, in place of the scheduler of a hosted project
 * (supabase/schemas/alerts/schedule.sql).
 */
export class TextWorker {
  readonly #options: Options;
  readonly #sql: postgres.Sql;
  readonly #stopping = new AbortController();
  readonly #ended: Promise<void>;
  /** The last message, which is said once and not every time. */
  #said = "";

  constructor(options: Options) {
    this.#options = options;
    this.#sql = connect(options.dbUrl);
    this.#ended = this.#run();
  }

  /** Ends it. A call that it has begun goes on in the function. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#sql.end({ timeout: 0 });
    await this.#ended;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // While Postgres or the gateway starts again, the next time will do.
      await this.#sendIfDue().catch(() => {});
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#options.askEvery ?? ASK_EVERY_MS);
        signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
      });
    }
  }

  async #sendIfDue(): Promise<void> {
    const [due] = await this.#sql<{ due: boolean }[]>`
      select private.is_work_due() as due from private.deliver_notifications()`;
    if (!due?.due) return;
    const { functionsUrl, key, isConfigured } = this.#options;
    if (!isConfigured) {
      return this.#sayOnce(
        "Texts wait to be sent, but TWILIO_ACCOUNT_SID is not set. Set it with TWILIO_API_KEY and TWILIO_API_SECRET in " +
          "supabase/functions/.env or the environment, and start again.",
      );
    }
    const response = await fetch(`${functionsUrl}/texting/work`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(CALL_WITHIN_MS)]),
    });
    await response.body?.cancel();
    if (response.ok) this.#said = "";
    else {
      this.#sayOnce(
        `Texts are not sent: POST /texting/work responds with ${response.status}. The gateway's log says why.`,
      );
    }
  }

  #sayOnce(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#options.say?.(text);
  }
}
