/**
 * The part of Realtime that the product uses: broadcasts of the database on private channels, for the `channel()` of
 * supabase-js. Hosted Realtime can do more. It is for developers alone, so it has no limits on what a client takes.
 */
import postgres from "postgres";
import { type Claims, mayReceive, readToken, Refusal } from "./access.ts";
import { type Access, Client } from "./client.ts";
import { type Broadcast, listen } from "./feed.ts";
import { type Version, VERSIONS } from "./frames.ts";

/** Close code of the WebSocket registry: a client that gets it connects again. */
const SERVICE_RESTART = 1012;

/** Where the database is, and what tokens are signed with. */
export interface RealtimeConfig {
  /** Logs in as supabase_realtime_admin. */
  dbUrl: string;
  jwtSecret: string;
}

/** Serves `/realtime/v1/websocket`. It has no connection to the database before the first client. */
export class RealtimeEndpoint {
  readonly #clients = new Set<Client>();
  readonly #config: RealtimeConfig;
  readonly #sql: postgres.Sql;
  #listening?: Promise<void>;

  constructor(config: RealtimeConfig) {
    this.#config = config;
    this.#sql = postgres(config.dbUrl, {
      max: 2,
      idle_timeout: 20,
      connect_timeout: 5,
      backoff: (failures) => Math.min(failures, 4) / 4,
      onnotice: () => {},
      connection: { application_name: "realtime" },
    });
  }

  /**
   * Makes a WebSocket of a request, or refuses it.
   *
   * @param token the JWT of the project's key in `?apikey=`; null when there is none
   */
  async connect(request: Request, token: string | null): Promise<Response> {
    const version = new URL(request.url).searchParams.get("vsn") ?? "1.0.0";
    if (!isVersion(version)) return refuse(400, `vsn must be one of ${VERSIONS.join(", ")}`);
    if (request.headers.get("upgrade")?.toLowerCase() !== "websocket") {
      return refuse(426, "a WebSocket is served here");
    }
    try {
      if (token === null) throw new Refusal("Unauthorized", "No API key found in request");
      await readToken(token, this.#config.jwtSecret);
    } catch (error) {
      if (error instanceof Refusal) return refuse(401, error.message);
      throw error;
    }

    let upgrade: Deno.WebSocketUpgrade;
    try {
      upgrade = Deno.upgradeWebSocket(request);
    } catch {
      return refuse(400, "the request is not of the WebSocket protocol");
    }
    const { socket, response } = upgrade;
    const client = new Client(socket, version, token, this.#access);
    this.#clients.add(client);
    socket.onclose = () => {
      this.#clients.delete(client);
      client.end();
    };
    // A connection that breaks is closed as well.
    socket.onerror = (event) => event.preventDefault();
    return response;
  }

  readonly #access: Access = {
    readToken: (token) => readToken(token, this.#config.jwtSecret),
    requireTopic: async (topic: string, claims: Claims) => {
      if (!await mayReceive(this.#sql, topic, claims)) {
        throw new Refusal(
          "Unauthorized",
          `You do not have permissions to read from this Channel topic: ${topic}`,
        );
      }
      await this.#listen();
    },
  };

  /** Waits until what is sent is heard, before anybody joins a topic. */
  #listen(): Promise<void> {
    this.#listening ??= listen(
      this.#sql,
      (broadcast) => this.#broadcast(broadcast),
      () => this.#interrupt(),
    ).then(() => this.#prune());
    return this.#listening;
  }

  /** Hosted Realtime keeps messages for three days. */
  #prune(): void {
    this.#sql`delete from realtime.messages where inserted_at < now() - interval '3 days'`
      .catch((error) => console.error(`Realtime could not delete old messages: ${error.message}`));
  }

  #broadcast(broadcast: Broadcast): void {
    for (const client of this.#clients) client.broadcast(broadcast);
  }

  /** Lets all clients connect again, because something may have been sent that they have not heard. */
  #interrupt(): void {
    for (const client of this.#clients) client.close(SERVICE_RESTART, "The database was restarted");
  }
}

function isVersion(value: string): value is Version {
  return VERSIONS.some((version) => version === value);
}

function refuse(status: number, message: string): Response {
  return Response.json({ message }, { status });
}
