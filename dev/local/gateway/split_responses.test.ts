/**
 * What a caller sends to an SQL function stays in the body of the response. PostgREST writes the message of some errors
 * into the status line, so a line end in a message would begin a header, or the response to another caller's request.
 * `supabase/tests/base/quoted_errors.test.ts` proves that every error quotes alike; here some are quoted over HTTP.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { stack } from "../../testing/shared_stack.ts";

const SPLIT = "x\r\nX-Injected: yes\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nforeign";
const LARGE = SPLIT.repeat(1_000).slice(0, 64 * 1024);
const HOSTILE = [
  SPLIT,
  SPLIT.replaceAll("\r\n", "\n"),
  SPLIT.replaceAll("\r\n", "\r"),
  // CR and LF, for a server that keeps the lower eight bits of each character.
  SPLIT.replaceAll("\r\n", "\u010d\u010a"),
  "x\u0000\u001b[2J\u007f\u0085\u009f\u2028\u2029",
  LARGE,
];

/** The headers that PostgREST and the gateway may send. */
const HEADERS = new Set([
  "access-control-allow-origin",
  "access-control-expose-headers",
  // The gateway closes a connection of which a large body was refused before it was read.
  "connection",
  "content-length",
  "content-location",
  "content-profile",
  "content-range",
  "content-type",
  "date",
  "retry-after",
  "server",
  "transfer-encoding",
  "vary",
  "www-authenticate",
]);

/** A connection that is kept alive, and reads responses to the byte. Every character of its text is one byte. */
class Connection {
  #connection: Deno.TcpConn;
  readonly #head: string;
  #received = "";

  private constructor(connection: Deno.TcpConn, head: string) {
    this.#connection = connection;
    this.#head = head;
  }

  /** To PostgREST itself, or to what the gateway has below /rest/v1. */
  static async to(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const authorization = `authorization: Bearer ${stack.service_role_key}`;
    const head = `host: ${hostname}:${port}\r\napikey: ${stack.publishable_key}\r\n${authorization}\r\n`;
    return new Connection(await Deno.connect({ hostname, port: Number(port) }), head);
  }

  /** Sends a request, and asserts that the response is one, with no byte after it. */
  async exchange(path: string, json?: unknown): Promise<{ status: number; body: string }> {
    const body = Buffer.from(json === undefined ? "" : JSON.stringify(json));
    const method = json === undefined ? "GET" : "POST";
    const framing = `content-type: application/json\r\ncontent-length: ${body.length}\r\n`;
    const head = Buffer.from(`${method} ${path} HTTP/1.1\r\n${this.#head}${framing}\r\n`);
    let bytes: Uint8Array = Buffer.concat([head, body]);
    while (bytes.length > 0) bytes = bytes.subarray(await this.#connection.write(bytes));

    const [statusLine, ...headers] = (await this.#until("\r\n\r\n")).split("\r\n") as [string, ...string[]];
    assert.match(statusLine, /^HTTP\/1\.1 [2-5]\d\d [\x20-\x7e\x80-\xff]{0,1500}$/);
    const values = new Map(headers.map((line) => line.toLowerCase().split(/: */, 2) as [string, string]));
    assert.deepEqual([...values.keys()].filter((name) => !HEADERS.has(name)), []);
    let text = "";
    if (values.get("transfer-encoding") === "chunked") {
      for (let length = 1; length > 0;) {
        const line = await this.#until("\r\n");
        assert.match(line, /^[\da-f]{1,8}$/i);
        text += await this.#take(length = parseInt(line, 16));
        assert.equal(await this.#take(2), "\r\n");
      }
    } else {
      assert.match(values.get("content-length") ?? "", /^\d+$/, statusLine);
      text = await this.#take(Number(values.get("content-length")));
    }
    assert.equal(this.#received, "", "bytes came after the response");
    if (values.get("connection") === "close") {
      const { hostname, port } = this.#connection.remoteAddr as Deno.NetAddr;
      this.#connection.close();
      this.#connection = await Deno.connect({ hostname, port });
    }
    return { status: Number(statusLine.split(" ", 2)[1]), body: text };
  }

  close(): void {
    this.#connection.close();
  }

  async #until(end: string): Promise<string> {
    while (!this.#received.includes(end)) await this.#receive();
    const text = this.#received.slice(0, this.#received.indexOf(end));
    await this.#take(text.length + end.length);
    return text;
  }

  async #take(length: number): Promise<string> {
    while (this.#received.length < length) await this.#receive();
    const text = this.#received.slice(0, length);
    this.#received = this.#received.slice(length);
    return text;
  }

  async #receive(): Promise<void> {
    const buffer = new Uint8Array(64 * 1024);
    const length = await this.#connection.read(buffer);
    assert(length !== null, `the connection was closed after: ${this.#received.slice(0, 300)}`);
    this.#received += Buffer.from(buffer.buffer, 0, length).toString("latin1");
  }
}

/** Functions with an argument that an error quotes, by a SQLSTATE PTxyz. */
const QUOTED: [name: string, argument: string, others?: object][] = [
  ["count_vendor_days", "timezone"],
  ["create_vendor_api_key", "vendor_slug", { label: "x" }],
  ["resume_number", "phone"],
  ["set_alert_rule", "kind"],
  ["close_hours", "state", { starts_on: null, until: "2099-01-01", source: "x" }],
];

for (
  const [way, url, prefix] of [["PostgREST", stack.restUrl, ""], ["the gateway", stack.api_url, "/rest/v1"]] as const
) {
  Deno.test(`no text that an error quotes leaves the body of its response: ${way}`, async () => {
    const vendor = `${prefix}/vendors?select=id,slug&slug=eq.generic`;
    const [attacker, victim] = [await Connection.to(url), await Connection.to(url)];
    const expected = await victim.exchange(vendor);
    assert.equal(expected.status, 200);
    let isOver = false;
    const others = (async () => {
      while (!isOver) assert.deepEqual(await victim.exchange(vendor), expected);
    })();
    for (const [name, argument, more] of QUOTED) {
      for (const hostile of HOSTILE) {
        const { status, body } = await attacker.exchange(`${prefix}/rpc/${name}`, { [argument]: hostile, ...more });
        assert(status >= 400, body);
        if (hostile === SPLIT) assert(body.includes("x??X-Injected"), `${name} quotes nothing: ${body}`);
        // What is left over of a response would be taken for this one.
        const none = await attacker.exchange(`${prefix}/rpc/there_is_none`, {});
        assert.deepEqual([none.status, JSON.parse(none.body).code], [404, "PGRST202"]);
      }
    }
    isOver = true;
    await others;
    attacker.close();
    victim.close();
  });
}

Deno.test("the gateway's HTTP client refuses a status line that is not well-formed", async () => {
  for (const line of ["HTTP/1.1 400 a\x01b", "HTTP/1.1 400 a\rb", "HTTP/1.1 40x a", "HTTP/1.1 400 a\x7f"]) {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const responded = listener.accept().then(async (connection) => {
      await connection.read(new Uint8Array(1_024));
      await connection.write(new TextEncoder().encode(`${line}\r\ncontent-length: 0\r\n\r\n`));
      connection.close();
    });
    await assert.rejects(fetch(`http://127.0.0.1:${listener.addr.port}/`), line);
    await responded;
    listener.close();
  }
});
