import type { AlertBody } from "../../supabase/functions/worker/alerts/request.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer } from "./loopback_server.ts";

/** The secret with which requests to a receiver are signed. */
export const ALERT_SECRET = `whsec_${btoa("0123456789abcdef0123456789abcdef")}`;

/** The settings with which functions notify a receiver on this port of alerts. */
export function alertSettings(port: number): Record<string, string> {
  return {
    ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/alerts`,
    ALERT_WEBHOOK_SECRET: ALERT_SECRET,
    ALERT_HEARTBEAT_URL: `http://127.0.0.1:${port}/heartbeat`,
  };
}

/** A request that a receiver got. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** How a receiver responds: with a status, not at all, by closing the connection, or with 200 and this many bytes. */
export type Behaviour =
  | { status: number; headers?: Record<string, string> }
  | "hang"
  | "drop"
  | { bytes: number };

/** A program that is notified of alerts, over real HTTP. */
export class AlertReceiver extends LoopbackServer {
  static override readonly portVariable = "ALERT_RECEIVER_PORT";
  /** All that it got, oldest first. */
  readonly requests: ReceivedRequest[] = [];
  #behaviour: (request: ReceivedRequest) => Behaviour = () => ({ status: 200 });

  /** The settings with which functions use it. */
  get settings(): Record<string, string> {
    return alertSettings(this.port);
  }

  /** Responds in this way from now on; without an argument with 200. */
  behave(behaviour: Behaviour | ((request: ReceivedRequest) => Behaviour) = { status: 200 }): void {
    this.#behaviour = typeof behaviour === "function" ? behaviour : () => behaviour;
  }

  /** The bodies about a subject that it has got, oldest first, each repetition too. */
  bodiesAbout(subject: string): AlertBody[] {
    return this.requests.filter(({ path }) => path === "/alerts").map(({ body }): AlertBody => JSON.parse(body))
      .filter((body) => body.subject === subject);
  }

  protected override async respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: ReceivedRequest = {
      method: incoming.method!,
      path: incoming.url!,
      headers: incoming.headers as Record<string, string>,
      body: await new Response(incoming).text(),
    };
    this.requests.push(request);
    const behaviour = this.#behaviour(request);
    if (behaviour === "hang") return;
    if (behaviour === "drop") return void incoming.socket.destroy();
    if ("status" in behaviour) return void response.writeHead(behaviour.status, behaviour.headers).end("ok");
    response.writeHead(200);
    const closed = new Promise((resolve) => response.once("close", resolve));
    const piece = new Uint8Array(64 * 1024);
    for (let sent = 0; sent < behaviour.bytes && !response.destroyed; sent += piece.length) {
      if (response.write(piece)) continue;
      await Promise.race([new Promise((resolve) => response.once("drain", resolve)), closed]);
    }
    response.end();
  }
}
