import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer } from "./loopback_server.ts";

/** A request that a receiver got. */
export interface ReceivedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** How a receiver responds: with a status, not at all, by closing the connection, or with 200 and this many bytes. */
export type Behaviour =
  | { status: number; headers?: Record<string, string>; body?: string; delay_ms?: number }
  | "hang"
  | "drop"
  | { bytes: number };

/** A server that keeps the requests that it gets, and responds as a test wants. */
export class RecordingServer extends LoopbackServer {
  static override readonly portVariable: string = "RECEIVER_PORT";
  /** All that it got, oldest first. */
  readonly requests: ReceivedRequest[] = [];
  #behaviour: (request: ReceivedRequest) => Behaviour = () => ({ status: 200 });

  /** Responds in this way from now on; without an argument with 200. */
  behave(behaviour: Behaviour | ((request: ReceivedRequest) => Behaviour) = { status: 200 }): void {
    this.#behaviour = typeof behaviour === "function" ? behaviour : () => behaviour;
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
    if ("status" in behaviour) {
      const { status, headers, body = "ok", delay_ms } = behaviour;
      if (delay_ms) await new Promise((resolve) => setTimeout(resolve, delay_ms));
      return void response.writeHead(status, headers).end(body);
    }
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
