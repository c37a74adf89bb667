import type { IncomingMessage, ServerResponse } from "node:http";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { LoopbackServer, type Reply, send } from "../loopback_server.ts";
import { ACCOUNT, API_VERSION, isAuthorized, twilioSettings } from "./account.ts";
import { refusal } from "./errors.ts";
import {
  inboundMessage,
  type InboundText,
  isOptedOut,
  listMedia,
  listMessages,
  mediaPath,
  type Message,
  messageResource,
  newMessage,
  whyRefused,
} from "./messages.ts";

/** A fault of the next requests for messages. */
export interface Fault {
  /**
   * POST: requests that send a message. GET: lists of them. DELETE: requests for one. FILE: files. POST unless given.
   */
  method?: "POST" | "GET" | "DELETE" | "FILE";
  /** The number of requests; 1 unless given. */
  times?: number;
  /** Only those whose parameter To is this number. */
  to?: string;
  /** Whether the request is carried out anyway, so that the message is sent. */
  accepted?: boolean;
  /** The time that the response takes, in milliseconds. */
  delay_ms?: number;
  /** Closes the connection in place of a response. */
  drop?: boolean;
  /** Responds with this HTTP status and this error code of Twilio's. */
  status?: number;
  code?: number;
  /** The header Retry-After, in seconds. */
  retry_after?: number;
  /** Redirects to this URL, with the status 307. */
  location?: string;
}

/** A request is accepted, but its response is lost. */
export const ACCEPT_THEN_DROP: Fault = { accepted: true, drop: true };
/** The connection is closed before the request is accepted. */
export const DROP: Fault = { drop: true };
/** 429, nothing is accepted. */
export const TOO_MANY_REQUESTS: Fault = { status: 429 };
/** 500 although the message was accepted. */
export const ERROR_AFTER_ACCEPT: Fault = { accepted: true, status: 500 };

/** The callbacks that the messages from now on get. */
export interface CallbackPlan {
  /** The statuses in the order in which they are told. None: no callback is sent. */
  statuses: string[];
  /** The ErrorCode of `failed` and `undelivered`. */
  error_code: number | null;
}

/**
 * The callbacks of Twilio where nothing goes wrong. The first status of a message is never told.
 * Source: https://www.twilio.com/docs/messaging/guides/outbound-message-status-in-status-callbacks
 */
const USUAL_CALLBACKS: CallbackPlan = { statuses: ["sent", "delivered"], error_code: null };

/** The order of the statuses. Callbacks may come in another one, and the message keeps the latest. */
const PROGRESS = ["accepted", "queued", "sending", "sent", "failed", "undelivered", "delivered"];

/** The log of the double: the messages of its account, oldest first, and the number of requests. */
export interface Log {
  messages: Message[];
  requests: number;
}

/** A double of the part of Twilio's REST API that texting uses. It sends no text. */
export class TwilioDouble extends LoopbackServer {
  static override readonly portVariable = "TWILIO_DOUBLE_PORT";
  readonly account = ACCOUNT;
  /** Gets each message that it accepts to send. */
  onAccepted: (message: Message) => void = () => {};
  /** By sid, oldest first. */
  readonly #messages = new Map<string, Message>();
  /** The files of messages, by the path of each. */
  readonly #files = new Map<string, { bytes: Uint8Array; content_type: string }>();
  #requests = 0;
  #faults: (Fault & { times: number })[] = [];
  #plan = USUAL_CALLBACKS;
  readonly #deliveries = new Set<Promise<void>>();

  /** The settings with which functions and commands use it. */
  get settings(): Record<string, string> {
    return twilioSettings(this.port);
  }

  /** Starts it again on the same port with the same messages, after `stop`. */
  override async start(): Promise<void> {
    const started = super.start();
    for (const message of this.#messages.values()) this.#deliver(message, USUAL_CALLBACKS);
    await started;
  }

  /** Refuses connections from now on. It forgets its faults and its plan of callbacks, but no message. */
  override async stop(): Promise<void> {
    this.#faults = [];
    this.#plan = USUAL_CALLBACKS;
    await super.stop();
  }

  /** The messages that it has accepted and received so far. */
  log(): Log {
    return structuredClone({ messages: this.#all(), requests: this.#requests });
  }

  /** The messages that it has accepted to send to a number, oldest first. */
  sentTo(to: string): Message[] {
    return this.log().messages.filter((message) => message.direction === "outbound-api" && message.to === to);
  }

  /** Waits until it has accepted a message to a number, for ten seconds at most. */
  async awaitMessage(to: string): Promise<void> {
    for (const deadline = Date.now() + 10_000; this.sentTo(to).length === 0;) {
      if (Date.now() > deadline) throw new Error("the double got no message to this number");
      await delay(10);
    }
  }

  /** Waits until each callback so far has been sent. */
  async settled(): Promise<void> {
    await Promise.all(this.#deliveries);
  }

  /** Makes the next requests for messages fail in this way. */
  fail(fault: Fault): void {
    this.#faults.push({ times: 1, ...fault });
  }

  /** Forgets the faults that did not come yet. */
  clearFaults(): void {
    this.#faults = [];
  }

  /** Changes the callbacks of the messages from now on; without an argument back to the usual ones. */
  callBack(plan: Partial<CallbackPlan> = {}): void {
    this.#plan = { ...USUAL_CALLBACKS, ...plan };
  }

  /**
   * Receives a text of a recruit. With STOP, further texts to them are refused with 21610 until they text START.
   *
   * @returns its sid, and the URLs of its files
   */
  receive(text: InboundText): { sid: string; urls: string[] } {
    const message = inboundMessage(text);
    for (const [place, { bytes, content_type }] of (text.media ?? []).entries()) {
      const item = message.media[place]!;
      if (bytes === undefined) continue;
      const path = mediaPath(message.sid, item.sid);
      item.url = this.url + path;
      this.#files.set(path, { bytes, content_type });
    }
    this.#messages.set(message.sid, message);
    return { sid: message.sid, urls: message.media.map(({ url }) => url) };
  }

  #all(): Message[] {
    return [...this.#messages.values()];
  }

  protected override async respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    send(response, await this.#reply(incoming));
  }

  /** @returns null where the connection is to be closed without a response */
  async #reply(incoming: IncomingMessage): Promise<Reply | null> {
    const { pathname, searchParams } = new URL(incoming.url!, this.url);
    const body = await new Response(incoming).text();
    if (pathname === "/double/log") return { status: 200, body: this.log() };

    this.#requests++;
    const file = this.#files.get(pathname);
    if (file !== undefined && isAuthorized(incoming.headers.authorization)) {
      const headers = { "content-type": file.content_type };
      return this.#withFault("FILE", searchParams, () => ({ status: 200, headers, body: file.bytes }));
    }
    const own = `/${API_VERSION}/Accounts/${ACCOUNT.sid}/Messages`;
    if (!isAuthorized(incoming.headers.authorization)) return refusal(20003);
    if (pathname === `${own}.json`) {
      return incoming.method === "GET"
        ? this.#withFault("GET", searchParams, () => listMessages(this.#all(), searchParams))
        : this.#withFault("POST", new URLSearchParams(body), (form) => this.#create(form));
    }
    const [, sid, media] = /^\/(\w+)(\/Media)?\.json$/.exec(pathname.replace(own, "")) ?? [];
    const message = sid && this.#messages.get(sid);
    if (message && !media && incoming.method === "DELETE") {
      return this.#withFault("DELETE", searchParams, () => this.#delete(message));
    }
    if (!message || incoming.method !== "GET") return refusal(20404);
    return { status: 200, body: media ? listMedia(message) : messageResource(message) };
  }

  async #withFault(
    method: NonNullable<Fault["method"]>,
    parameters: URLSearchParams,
    carryOut: (parameters: URLSearchParams) => Reply,
  ): Promise<Reply | null> {
    const fault = this.#faults.find((waiting) =>
      (waiting.method ?? "POST") === method &&
      (waiting.to === undefined || waiting.to === parameters.get("To"))
    );
    if (fault === undefined) return carryOut(parameters);
    if (--fault.times === 0) this.#faults.splice(this.#faults.indexOf(fault), 1);
    const { accepted, delay_ms = 0, drop, status, code, retry_after, location } = fault;
    const reply = accepted ? carryOut(parameters) : refusal(20500);
    await delay(delay_ms);
    if (drop) return null;
    if (location !== undefined) return { status: 307, headers: { location } };
    if (status === undefined && code === undefined) return reply;
    const headers = retry_after === undefined ? undefined : { "retry-after": `${retry_after}` };
    return { ...refusal(code ?? (status === 429 ? 20429 : 20500), status), headers };
  }

  /** https://www.twilio.com/docs/messaging/api/message-resource#delete-a-message-resource: its media go with it. */
  #delete({ sid, status }: Message): Reply {
    if (["accepted", "queued", "sending"].includes(status)) return refusal(20009);
    this.#messages.delete(sid);
    return { status: 204 };
  }

  #create(form: URLSearchParams): Reply {
    const code = whyRefused(form) ??
      (isOptedOut(this.#all(), form.get("To"), form.get("From")) ? 21610 : undefined);
    if (code !== undefined) return refusal(code);
    const message = newMessage(form, [...this.#plan.statuses]);
    this.#messages.set(message.sid, message);
    const delivery = this.#deliver(message, this.#plan).finally(() => this.#deliveries.delete(delivery));
    this.#deliveries.add(delivery);
    this.onAccepted(message);
    return { status: 201, body: messageResource(message) };
  }

  /** Sends a message: it passes through its statuses, and each is told to its StatusCallback. */
  async #deliver(message: Message, plan: CallbackPlan): Promise<void> {
    const { server } = this;
    while (message.due_callbacks.length > 0) {
      await delay(10);
      // Stopped meanwhile. The next start goes on with it.
      if (server !== this.server) return;
      const status = message.due_callbacks.shift()!;
      if (PROGRESS.indexOf(status) > PROGRESS.indexOf(message.status)) message.status = status;
      message.date_updated = new Date().toISOString();
      message.date_sent ??= message.date_updated;
      if (status === "failed" || status === "undelivered") message.error_code = plan.error_code;
      await report(message, status);
    }
  }
}

/**
 * Tells a message's StatusCallback of a status. Like Twilio, it does not try again.
 *
 * https://www.twilio.com/docs/messaging/guides/track-outbound-message-status
 */
async function report(message: Message, status: string): Promise<void> {
  const url = message.parameters.StatusCallback;
  if (!url) return;
  const parameters: Record<string, string> = {
    AccountSid: ACCOUNT.sid,
    ApiVersion: API_VERSION,
    From: message.from ?? "",
    MessageSid: message.sid,
    MessageStatus: status,
    SmsSid: message.sid,
    SmsStatus: status,
    To: message.to,
    ...(message.messaging_service_sid && { MessagingServiceSid: message.messaging_service_sid }),
    ...(message.error_code !== null && { ErrorCode: `${message.error_code}` }),
  };
  const response = await fetch(url, {
    method: "POST",
    headers: {
      "x-twilio-signature": getExpectedTwilioSignature(ACCOUNT.authToken, url, parameters),
      "i-twilio-idempotency-token": crypto.randomUUID(),
    },
    body: new URLSearchParams(parameters),
    // https://www.twilio.com/docs/usage/webhooks/webhooks-connection-overrides
    signal: AbortSignal.timeout(15_000),
  }).catch(() => null);
  await response?.body?.cancel();
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
