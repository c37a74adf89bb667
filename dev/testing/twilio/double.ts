import { join } from "node:path";
import { freePorts, ROOT } from "../../local/mod.ts";
import { ACCOUNT, type Account, twilioSettings } from "./account.ts";
import type { CallbackPlan } from "./callbacks.ts";
import type { Fault } from "./faults.ts";
import type { InboundText } from "./messages.ts";
import type { Message } from "./store.ts";

export type { Fault };

/** What the double has done: the messages of its account, oldest first, and how many requests came. */
export interface Log {
  messages: Message[];
  requests: number;
}

/** A request is accepted, but its response is lost. */
export const ACCEPT_THEN_DROP: Fault = { accepted: true, drop: true };
/** The connection is closed before the request is accepted. */
export const DROP: Fault = { drop: true };
/** 429, nothing is accepted. */
export const TOO_MANY_REQUESTS: Fault = { status: 429 };
/** 500 although the message was accepted. */
export const ERROR_AFTER_ACCEPT: Fault = { accepted: true, status: 500 };

/** A double of Twilio's REST API in a process of its own. What it has accepted outlives the process. */
export class TwilioDouble {
  readonly account: Account;
  readonly #port: number;
  readonly #store: string;
  #process?: Deno.ChildProcess;

  private constructor(account: Account, store: string) {
    this.account = account;
    this.#store = store;
    this.#port = Number(Deno.env.get("TWILIO_DOUBLE_PORT")) || freePorts(1)[0]!;
  }

  /** Starts one with an empty account, on the port of TWILIO_DOUBLE_PORT where that is set. */
  static async start(account = ACCOUNT): Promise<TwilioDouble> {
    const double = new TwilioDouble(account, Deno.makeTempFileSync({ prefix: "twilio-" }));
    await double.start();
    return double;
  }

  /** Its origin. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** The settings with which functions and commands use it. */
  get settings(): Record<string, string> {
    return twilioSettings(this.#port, this.account);
  }

  /** Starts it again on the same port with the same messages, after `kill`. */
  async start(): Promise<void> {
    const account = JSON.stringify(this.account);
    const args = ["--port", `${this.#port}`, "--store", this.#store, "--account", account];
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "--allow-all", join(ROOT, "dev/testing/twilio/main.ts"), ...args],
      // It is closed when this process ends, however that happens.
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const reader = this.#process.stdout.getReader();
    const { done } = await reader.read();
    await reader.cancel();
    if (done) throw new Error("the double of Twilio could not start");
  }

  /** Kills the process, so that connections are refused. It forgets its faults and its plan of callbacks, but no message. */
  async kill(): Promise<void> {
    this.#process?.kill("SIGKILL");
    await this.#process?.stdin.abort().catch(() => {});
    await this.#process?.status;
    this.#process = undefined;
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    await this.kill();
    Deno.removeSync(this.#store);
  }

  /** What it has accepted and received so far. */
  log(): Promise<Log> {
    return this.#control("GET", "log");
  }

  /** The messages that it has accepted to send to a number, oldest first. */
  async sentTo(to: string): Promise<Message[]> {
    return (await this.log()).messages.filter((message) =>
      message.direction === "outbound-api" && message.to === to
    );
  }

  /** Waits until it has accepted a message to a number, for ten seconds at most. */
  async awaitMessage(to: string): Promise<void> {
    for (const deadline = Date.now() + 10_000; (await this.sentTo(to)).length === 0;) {
      if (Date.now() > deadline) throw new Error("the double got no message to this number");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Makes the next requests for messages fail in this way. */
  fail(fault: Fault): Promise<void> {
    return this.#control("POST", "faults", fault);
  }

  /** Forgets the faults that did not come yet. */
  clearFaults(): Promise<void> {
    return this.#control("DELETE", "faults");
  }

  /** Changes the callbacks of the messages from now on; without an argument back to the usual ones. */
  callBack(plan: Partial<CallbackPlan> = {}): Promise<void> {
    return this.#control("PUT", "callbacks", plan);
  }

  /**
   * Receives a text of a recruit. With STOP, further texts to them are refused with 21610 until they text START.
   *
   * @param text the text, and the webhook that is told of it; without a webhook none is
   * @returns its sid, and the HTTP status of the webhook's response
   */
  receive(text: InboundText & { webhook?: string }): Promise<{ sid: string; status?: number }> {
    return this.#control("POST", "inbound", text);
  }

  async #control(method: string, path: string, body?: unknown) {
    const init = { method, body: body === undefined ? undefined : JSON.stringify(body) };
    const response = await fetch(`${this.url}/double/${path}`, init);
    return await response.json();
  }
}
