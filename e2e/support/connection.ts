import assert from "node:assert/strict";
import { stack } from "./client.ts";
import { type ApiResponse, readDocumented } from "./documented.ts";

/** A connection to the gateway, for requests that an HTTP client would not send: slow, cut short, in tiny chunks. */
export class Connection {
  readonly #connection: Deno.TcpConn;
  readonly #path: string;

  private constructor(connection: Deno.TcpConn, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  /** Connects, and sends the head of a POST. Without a Content-Length among the headers the body has to be chunked. */
  static async post(
    path: string,
    headers: Record<string, string>,
    gateway = stack.api_url,
  ): Promise<Connection> {
    const { hostname, port } = new URL(gateway);
    const connection = new Connection(await Deno.connect({ hostname, port: Number(port) }), path);
    const framing = "content-length" in headers ? {} : { "transfer-encoding": "chunked" };
    const lines = Object.entries({ host: `${hostname}:${port}`, ...headers, ...framing })
      .map(([name, value]) => `${name}: ${value}\r\n`);
    await connection.send(`POST /functions/v1${path} HTTP/1.1\r\n${lines.join("")}\r\n`);
    return connection;
  }

  /** Sends these characters as they are. */
  async send(text: string): Promise<void> {
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));
  }

  /** Waits for the response, and asserts that it is documented. */
  async response(): Promise<ApiResponse> {
    return await readDocumented("POST", this.#path, await this.anyResponse());
  }

  /** Waits for the response, whatever it is. */
  async anyResponse(): Promise<Response> {
    let text = "";
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(64 * 1024);
    for (;;) {
      const received = await this.#connection.read(buffer);
      assert(received !== null, `the connection was closed after: ${text}`);
      text += decoder.decode(buffer.subarray(0, received), { stream: true });
      const [head = "", body] = text.split("\r\n\r\n", 2);
      const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1]);
      if (body === undefined || new TextEncoder().encode(body).length < length) continue;
      const [statusLine = "", ...lines] = head.split("\r\n");
      const headers = lines.map((line) => line.split(/: */, 2) as [string, string]);
      const status = Number(statusLine.split(" ", 2)[1]);
      return new Response(body, { status, headers });
    }
  }

  /** Hangs up. */
  close(): void {
    this.#connection.close();
  }
}

/** A chunk of a chunked body. The empty one ends the body. */
export function chunk(text: string): string {
  return `${new TextEncoder().encode(text).length.toString(16)}\r\n${text}\r\n`;
}
