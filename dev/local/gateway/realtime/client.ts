import type { Broadcast } from "./feed.ts";
import { type Claims, Refusal } from "./access.ts";
import { type Frame, readFrame, type Version, writeFrame } from "./frames.ts";

/** Close codes of RFC 6455, section 7.4.1. */
const NOT_UNDERSTOOD = 1008;
const UNEXPECTED = 1011;

/** A timer cannot wait for longer, and need not. */
const LONGEST_WAIT_MS = 60 * 60 * 1000;

/** The questions that a client's messages put to the endpoint. */
export interface Access {
  /** @throws {Refusal} when the token is not one of this project, or not any more */
  readToken(token: string): Promise<Claims>;
  /** @throws {Refusal} when the user may not receive what is sent to the topic, or nobody can tell */
  requireTopic(topic: string, claims: Claims): Promise<void>;
}

type Timer = ReturnType<typeof setTimeout>;

/** A topic that a client has joined. */
interface Channel {
  joinRef: string;
  token: string;
  expiry: Timer;
}

/**
 * One connection of supabase-js, and the topics that it has joined. Its messages are answered one after another.
 *
 * The protocol: https://supabase.com/docs/guides/realtime/protocol
 */
export class Client {
  readonly #channels = new Map<string, Channel>();
  #last = Promise.resolve();

  /**
   * @param apiToken the JWT of the key that the client has connected with. It counts where no user is signed in
   */
  constructor(
    readonly socket: WebSocket,
    readonly version: Version,
    readonly apiToken: string,
    readonly access: Access,
  ) {
    socket.onmessage = ({ data }) => this.#receive(data);
  }

  /** Sends a message of the database, if its topic is joined. */
  broadcast({ id, topic, event, payload }: Broadcast): void {
    if (!this.#channels.has(topic)) return;
    const message = { type: "broadcast", event, payload, meta: { id } };
    this.#send({ join_ref: null, ref: null, topic: PREFIX + topic, event: "broadcast", payload: message });
  }

  /** Forgets all topics, after the connection has ended. */
  end(): void {
    for (const topic of this.#channels.keys()) this.#remove(topic);
  }

  close(code: number, reason: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.close(code, reason);
  }

  #receive(data: unknown): void {
    // A binary message is a broadcast of the client's. No policy allows one, and hosted Realtime drops it as well.
    if (typeof data !== "string") return;
    const frame = readFrame(this.version, data);
    if (frame === null) return this.close(NOT_UNDERSTOOD, "The message is not of the protocol");
    this.#last = this.#last.then(() => this.#answer(frame)).catch((error) => {
      console.error("Realtime failed to answer a message.", error);
      this.close(UNEXPECTED, "The message could not be answered");
    });
  }

  async #answer(frame: Frame): Promise<void> {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    const topic = frame.topic.startsWith(PREFIX) ? frame.topic.slice(PREFIX.length) : null;
    if (frame.topic === "phoenix" && frame.event === "heartbeat") {
      this.#reply(frame, "ok");
    } else if (topic === null) {
      this.#reply(frame, "error", { reason: "unmatched topic" });
    } else if (frame.event === "phx_join") {
      await this.#join(topic, frame);
    } else if (frame.event === "phx_leave") {
      this.#remove(topic);
      this.#reply(frame, "ok");
    } else if (!this.#channels.has(topic)) {
      this.#reply(frame, "error", { reason: "unmatched topic" });
    } else if (frame.event === "access_token") {
      await this.#renew(topic, frame);
    } else {
      this.#reply(frame, "error", { reason: ONLY_RECEIVES });
    }
  }

  async #join(topic: string, frame: Frame): Promise<void> {
    // A client that joins again does not use its first channel any more.
    this.#remove(topic);
    try {
      if (topic === "") throw new Refusal("TopicNameRequired", "You must provide a topic name");
      requirePossible(frame.payload.config);
      const { access_token, user_token } = frame.payload;
      const token = this.#tokenOf(access_token ?? user_token);
      const { exp } = await this.#requireAccess(topic, token);
      if (this.socket.readyState !== WebSocket.OPEN) return;
      const joinRef = frame.join_ref ?? frame.ref ?? "";
      this.#channels.set(topic, { joinRef, token, expiry: this.#awaitExpiry(topic, exp) });
      this.#reply(frame, "ok", { postgres_changes: [] });
    } catch (error) {
      const { code, message } = asRefusal(error);
      this.#reply(frame, "error", { reason: `${code}: ${message}` });
    }
  }

  /** Takes the newer token of a user, or ends the channel. */
  async #renew(topic: string, frame: Frame): Promise<void> {
    const { access_token } = frame.payload;
    // Realtime keeps the first token where a client sends none, or a key of the project.
    if (typeof access_token !== "string" || access_token.startsWith("sb_")) return;
    const channel = this.#channels.get(topic)!;
    if (access_token === channel.token) return;
    try {
      const { exp } = await this.#requireAccess(topic, access_token);
      clearTimeout(channel.expiry);
      channel.token = access_token;
      channel.expiry = this.#awaitExpiry(topic, exp);
    } catch (error) {
      this.#shut(topic, asRefusal(error).message);
    }
  }

  async #requireAccess(topic: string, token: string): Promise<Claims> {
    const claims = await this.access.readToken(token);
    await this.access.requireTopic(topic, claims);
    return claims;
  }

  #tokenOf(sent: unknown): string {
    return typeof sent === "string" && !sent.startsWith("sb_") ? sent : this.apiToken;
  }

  /** Ends the channel when its token expires, unless a newer one comes. */
  #awaitExpiry(topic: string, exp: number): Timer {
    const left = exp * 1000 - Date.now();
    return setTimeout(() => {
      const channel = this.#channels.get(topic);
      if (channel === undefined) return;
      if (left > LONGEST_WAIT_MS) channel.expiry = this.#awaitExpiry(topic, exp);
      else this.#shut(topic, "Token has expired");
    }, Math.min(left, LONGEST_WAIT_MS));
  }

  /** Ends a channel, and tells the client why. */
  #shut(topic: string, reason: string): void {
    const joinRef = this.#channels.get(topic)?.joinRef;
    if (joinRef === undefined) return;
    this.#remove(topic);
    const channel = { join_ref: joinRef, topic: PREFIX + topic };
    const payload = { extension: "system", status: "error", message: reason, channel: topic };
    this.#send({ ...channel, ref: null, event: "system", payload });
    this.#send({ ...channel, ref: joinRef, event: "phx_close", payload: {} });
  }

  #remove(topic: string): void {
    clearTimeout(this.#channels.get(topic)?.expiry);
    this.#channels.delete(topic);
  }

  #reply({ join_ref, ref, topic }: Frame, status: "ok" | "error", response = {}): void {
    this.#send({ join_ref, ref, topic, event: "phx_reply", payload: { status, response } });
  }

  #send(frame: Frame): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(writeFrame(this.version, frame));
  }
}

const PREFIX = "realtime:";
const ONLY_RECEIVES = "The local stack has broadcasts from the database alone: no presence, and none from a client";

/** Refuses what hosted Realtime can do and this cannot, so that nobody waits in vain. */
function requirePossible(config: unknown): void {
  const { private: isPrivate, presence, postgres_changes } = (config ?? {}) as {
    private?: unknown;
    presence?: { enabled?: unknown };
    postgres_changes?: unknown[];
  };
  if (isPrivate !== true) {
    throw new Refusal("PrivateOnly", "This project only allows private channels");
  }
  if (presence?.enabled === true) throw new Refusal("PresenceDisabled", ONLY_RECEIVES);
  if (Array.isArray(postgres_changes) && postgres_changes.length > 0) {
    throw new Refusal("PostgresChangesDisabled", "The local stack has no postgres_changes");
  }
}

/** @throws what is no refusal */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  throw error;
}
