import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { freePorts } from "../local/mod.ts";

/** A response of a double. */
export interface Reply {
  status: number;
  headers?: Record<string, string>;
  /** A text or bytes as they are; anything else becomes JSON. */
  body?: unknown;
}

/**
 * A server on 127.0.0.1 that stands in for a service, and keeps what it has while it is stopped. It is one of node:http,
 * because a connection can be closed without a response.
 */
export abstract class LoopbackServer {
  /** The variable with the port on which one starts. */
  static readonly portVariable: string;
  /** Undefined while it is stopped; another one after each start. */
  protected server?: Server;

  constructor(protected readonly port: number) {}

  /** Starts one, by default on the port of its variable where that is set. */
  static async start<Own extends LoopbackServer>(
    this: { new (port: number): Own; portVariable: string },
    port = Number(Deno.env.get(this.portVariable)) || freePorts(1)[0]!,
  ): Promise<Own> {
    const started = new this(port);
    await started.start();
    return started;
  }

  /** Its origin. */
  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it again on the same port, after `stop`. */
  async start(): Promise<void> {
    if (this.server) return;
    // A caller that is killed breaks off in its request.
    const server = createServer((incoming, response) =>
      void this.respond(incoming, response).catch(() => incoming.socket.destroy())
    );
    this.server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject).listen(this.port, "127.0.0.1", resolve);
    });
  }

  /** Refuses connections from now on. */
  async stop(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  protected abstract respond(incoming: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** Sends a reply, or closes the connection where it is null. */
export function send(response: ServerResponse, reply: Reply | null): void {
  if (reply === null) return void response.socket?.destroy();
  const { status, headers, body } = reply;
  const isAsItIs = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(isAsItIs ? body : JSON.stringify(body));
}
