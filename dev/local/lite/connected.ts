import { createApi } from "@supabase/lite/cli";
import postgres from "postgres";
import type { MailFolder } from "./mail_folder.ts";

const DRIVER = "/postgres/src/connection.js";
const WARN = console.warn;
/** The milliseconds that a request waits for Postgres. */
const WAIT_AT_MOST_MS = 5_000;

/** Why a request gets no answer of auth or storage. */
class ConnectionError extends Error {}

/** Auth and storage on one set of connections to Postgres. */
export interface Connected {
  sql: postgres.Sql;
  /** Answers a request of Auth or of Storage. */
  serve(request: Request): Promise<Response>;
}

interface ConnectionOptions {
  url: string;
  configFile: string;
  serviceRoleKey: string;
  mail: MailFolder;
}

interface ConnectedSet extends Connected {
  /** Rejects when one of its connections is lost. */
  lost: Promise<never>;
  end(): void;
}

/**
 * Keeps auth and storage connected. Once a connection is lost, all are made anew, with the package's application. Its
 * driver never writes again on a connection that was cut while it had something to write: the request waits forever.
 */
export class Connection {
  readonly #options: ConnectionOptions;
  #set!: Promise<ConnectedSet>;
  #lose: (reason: Error) => void = () => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
    // The driver throws where nobody can catch it. What it says of connections that were ended here is expected.
    const heed = (event: Event, error: Error & { code?: string }) => {
      if (!String(error?.stack).includes(DRIVER)) return;
      event.preventDefault();
      if (error.code !== "CONNECTION_DESTROYED") this.#lose(new ConnectionError(error.message));
    };
    globalThis.addEventListener("error", (event) => heed(event, event.error));
    globalThis.addEventListener("unhandledrejection", (event) => heed(event, event.reason));
    this.#connect();
  }

  /** Resolves once it is connected. */
  async opened(): Promise<void> {
    await this.#set;
  }

  /** Lets a request be answered; with 503 where it cannot be, because Postgres is away or the connection was cut. */
  async use(answer: (connected: Connected) => Promise<Response>): Promise<Response> {
    let timer: ReturnType<typeof setTimeout>;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new ConnectionError("Postgres cannot be reached.")), WAIT_AT_MOST_MS);
    });
    try {
      const set = await Promise.race([this.#set, late]);
      return await Promise.race([answer(set), set.lost]);
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      return Response.json({ message: "The database cannot be reached." }, { status: 503 });
    } finally {
      clearTimeout(timer!);
    }
  }

  #connect(): void {
    this.#set = this.#newSet();
    this.#set.then((set) =>
      set.lost.catch(({ message }) => {
        console.error(`A connection to Postgres was lost, so all are made anew. ${message}`);
        set.end();
        this.#connect();
      })
    );
  }

  /** Tries until it is connected. */
  async #newSet(): Promise<ConnectedSet> {
    let said = "";
    while (true) {
      const { promise: lost, reject } = Promise.withResolvers<never>();
      lost.catch(() => {});
      this.#lose = reject;
      const sql = postgres(this.#options.url, {
        max: 1,
        max_lifetime: null,
        onnotice: () => {},
        onclose: () => reject(new ConnectionError("It was closed.")),
      });
      const ends = [() => sql.end({ timeout: 0 })];
      const end = () => ends.forEach((end) => void end().catch(() => {}));
      try {
        return { sql, lost, end, serve: await Promise.race([this.#serverOn(sql, ends), lost]) };
      } catch (error) {
        if (String(error) !== said) console.error(said = String(error));
        end();
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  }

  async #serverOn(sql: postgres.Sql, ends: (() => Promise<void>)[]): Promise<Connected["serve"]> {
    await sql`select 1`;
    // Here the package warns that its storage is experimental, which is meant for those who run it in production.
    console.warn = () => {};
    const api = await createApi();
    const app = await api.project.local.createApp(this.#options.configFile, { admin: false });
    const { driver } = app.connection as unknown as { driver: postgres.Sql };
    ends.push(() => driver.end({ timeout: 0 }));
    await app.ensureSystemSchema();
    console.warn = WARN;
    app.drivers.email = this.#options.mail;
    const serve = async (request: Request) => await app.server.fetch(request);

    // Each service changes the database at its first request. Several first requests at once would fail, so one is made
    // here, before any other can come.
    const authorization = `Bearer ${this.#options.serviceRoleKey}`;
    for (const path of ["/auth/v1/health", "/storage/v1/bucket"]) {
      const response = await serve(new Request(`http://lite${path}`, { headers: { authorization } }));
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
    return serve;
  }
}
