/**
 * A request over HTTP/1.1 to an address that was checked before. `fetch` would resolve the name again, and could then
 * connect to another address. The hosted projects' Deno 2.1 has no other client that connects to a given address: its
 * node:https ignores `lookup` and `servername`, and its edge runtime lacks Deno.createHttpClient.
 */
import { Buffer } from "node:buffer";
import { failure, type Result, success } from "./result.ts";
import { KIB } from "./units.ts";

export interface PinnedRequest {
  /** http or https. Its host is named in the request and by the certificate. */
  url: URL;
  /** The addresses of the host, which are tried in this order until one accepts the connection. */
  addresses: string[];
  method: "GET" | "POST";
  headers: Headers;
  body?: Uint8Array;
  /** The maximum size of the response's body; the rest is not read. */
  maxBytes: number;
  signal: AbortSignal;
  /** Further certificate authorities, in PEM. */
  caCerts?: string[];
}

export interface PinnedResponse {
  status: number;
  headers: Headers;
  /** What arrived of the body before the signal, the end of the connection, or the maximum. */
  body: Uint8Array<ArrayBuffer>;
  /** Whether the body has its end, or the maximum. */
  isComplete: boolean;
}

/** Why there is no response. `lost`: the connection ended early, or the response is not HTTP. */
export type NoResponse = "no_connection" | "tls" | "timeout" | "lost";

/** The time that one of several addresses has to accept the connection, in milliseconds. */
const CONNECT_WITHIN_MS = 5_000;

/** The maximum size of the status line with the headers. */
const MAX_HEAD_BYTES = 64 * KIB;

/** Sends a request once, follows no redirect, and never rejects. */
export async function pinnedRequest(request: PinnedRequest): Promise<Result<PinnedResponse, NoResponse>> {
  const { signal } = request;
  const opened = await open(request);
  if (opened.error !== null) return opened;
  const connection = opened.data;
  // A receiver may respond before it has read everything.
  const written = write(connection, messageOf(request)).catch(() => {});
  const response = new ResponseReader(connection, request.maxBytes);
  const isRead = await before(signal, response.read().then(() => true, () => false));
  closeQuietly(connection);
  await before(signal, written);
  // Where the status is known, it decides more than the rest of the body.
  if (response.head !== null) {
    return success({ ...response.head, body: Buffer.concat(response.parts), isComplete: isRead === true });
  }
  return failure(isRead === undefined ? "timeout" : "lost");
}

async function open({ url, addresses, signal, caCerts = [] }: PinnedRequest): Promise<Result<Deno.Conn, NoResponse>> {
  const isTls = url.protocol === "https:";
  const port = Number(url.port) || (isTls ? 443 : 80);
  let connection: Deno.TcpConn | undefined;
  for (const hostname of addresses) {
    const connecting = Deno.connect({ hostname, port }).catch(() => undefined);
    const patience = addresses.length > 1 ? AbortSignal.any([signal, AbortSignal.timeout(CONNECT_WITHIN_MS)]) : signal;
    connection = await before(patience, connecting);
    if (connection !== undefined) break;
    connecting.then((late) => late && closeQuietly(late));
    if (signal.aborted) break;
  }
  if (connection === undefined) return failure(signal.aborted ? "timeout" : "no_connection");
  if (!isTls) return success(connection);

  const hostname = url.hostname.replace(/^\[|\]$/g, "");
  const securing = secure(connection, hostname, caCerts);
  const secured = await before(signal, securing);
  if (secured) return success(secured);
  if (secured === null) return failure("tls");
  closeQuietly(connection);
  securing.then((late) => late && closeQuietly(late));
  return failure("timeout");
}

/** Returns the secured connection; null if the server's certificate is not the host's, or it speaks no TLS. */
async function secure(connection: Deno.TcpConn, hostname: string, caCerts: string[]): Promise<Deno.TlsConn | null> {
  let secured: Deno.TlsConn | undefined;
  try {
    secured = await Deno.startTls(connection, { hostname, caCerts, alpnProtocols: ["http/1.1"] });
    await secured.handshake();
    return secured;
  } catch {
    closeQuietly(secured ?? connection);
    return null;
  }
}

/** Returns what a promise resolves to; undefined if the signal comes first. Closing a connection does not end all waits. */
async function before<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value | undefined> {
  if (signal.aborted) return undefined;
  const { promise: ended, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  signal.addEventListener("abort", end, { once: true });
  const value = await Promise.race([promise, ended]);
  signal.removeEventListener("abort", end);
  return value;
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // It was closed before.
  }
}

/** Headers that the request has by itself. Those of a caller could make the receiver see another request. */
const OWN_HEADERS = ["host", "connection", "content-length", "transfer-encoding", "expect", "upgrade", "te", "trailer"];

function messageOf({ url, method, headers, body }: PinnedRequest): Uint8Array {
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`, "connection: close"];
  for (const [name, value] of headers) if (!OWN_HEADERS.includes(name)) lines.push(`${name}: ${value}`);
  if (body !== undefined) lines.push(`content-length: ${body.length}`);
  // Headers refuses line ends, and every character above U+00FF.
  const head = Buffer.from(lines.join("\r\n") + "\r\n\r\n", "latin1");
  return body === undefined ? head : Buffer.concat([head, body]);
}

async function write(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
}

/** Reads a response by lines and by lengths. */
class ResponseReader {
  /** Null until it has arrived. */
  head: { status: number; headers: Headers } | null = null;
  /** What has arrived of the body. */
  readonly parts: Uint8Array[] = [];
  readonly #connection: Deno.Conn;
  /** The bytes of the body that may still be read. */
  #left: number;
  #received: Uint8Array = new Uint8Array();
  readonly #buffer = new Uint8Array(16 * KIB);

  constructor(connection: Deno.Conn, maxBytes: number) {
    this.#connection = connection;
    this.#left = maxBytes;
  }

  /** Reads it to its end, or to the maximum. Rejects if it is malformed or cut off. */
  async read(): Promise<void> {
    let head = await this.#readHead();
    // Interim responses come before the final one.
    while (head.status < 200) head = await this.#readHead();
    this.head = head;
    const { status, headers } = head;
    if (status === 204 || status === 304) return;
    if (/\bchunked\b/i.test(headers.get("transfer-encoding") ?? "")) return await this.#readChunks();
    const length = headers.get("content-length");
    await this.#take(length === null ? Infinity : Number(length));
  }

  async #readHead(): Promise<{ status: number; headers: Headers }> {
    let left = MAX_HEAD_BYTES;
    const next = async () => {
      const line = await this.#line(left);
      left -= line.length + 2;
      return line;
    };
    const [, status] = /^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(await next()) ?? [];
    if (status === undefined) throw new Error("the status line is malformed");
    const headers = new Headers();
    for (let line = await next(); line !== ""; line = await next()) {
      const colon = line.indexOf(":");
      if (colon < 1) throw new Error("the header is malformed");
      headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
    }
    return { status: Number(status), headers };
  }

  async #readChunks(): Promise<void> {
    while (this.#left > 0) {
      const [size] = /^[\da-f]{1,8}/i.exec(await this.#line(KIB)) ?? [];
      if (size === undefined) throw new Error("the size of the chunk is malformed");
      if (parseInt(size, 16) === 0) return;
      await this.#take(parseInt(size, 16));
      if (this.#left > 0) await this.#line(2);
    }
  }

  /** Takes this many bytes of the body. */
  async #take(length: number): Promise<void> {
    for (let rest = length; rest > 0 && this.#left > 0;) {
      if (this.#received.length === 0 && !await this.#receive()) {
        if (length === Infinity) return;
        throw new Error("the body is cut off");
      }
      const part = this.#received.subarray(0, Math.min(rest, this.#left));
      this.#received = this.#received.subarray(part.length);
      rest -= part.length;
      this.#left -= part.length;
      this.parts.push(part);
    }
  }

  /** Takes the next line, without its end. */
  async #line(most: number): Promise<string> {
    let end: number;
    while ((end = this.#received.indexOf(10)) < 0) {
      if (this.#received.length > most || !await this.#receive()) throw new Error("the line has no end");
    }
    if (end > most) throw new Error("the line is too long");
    const line = Buffer.from(this.#received.subarray(0, end)).toString("latin1");
    this.#received = this.#received.subarray(end + 1);
    return line.replace(/\r$/, "");
  }

  async #receive(): Promise<boolean> {
    const length = await this.#connection.read(this.#buffer);
    if (length === null) return false;
    this.#received = Buffer.concat([this.#received, this.#buffer.subarray(0, length)]);
    return true;
  }
}
