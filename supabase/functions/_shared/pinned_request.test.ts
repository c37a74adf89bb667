import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { pinnedRequest } from "./pinned_request.ts";

// A certificate of hooks.example, and the authority that issued it, both until 2126: openssl req -x509, openssl x509 -req.
const CA = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUe0erCT+mZewpEMiO8xrVRYLjIP0wCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPQ0Egb2YgdGhlIHRlc3RzMCAXDTI2MTEyNDIwMTkzOFoYDzIx
MjYxMDMxMjAxOTM4WjAaMRgwFgYDVQQDDA9DQSBvZiB0aGUgdGVzdHMwWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAASFqi+RlkAfd1RogeL8zemBGhIrlMLAdGtDOmRU
xy/t/97NptYN0t3IDMdYE0rMe6nhtaJ2URzCjER4583Z/8XFo2MwYTAdBgNVHQ4E
FgQUNgEI/XzGk9Rv9LaJDWzmA0MMKukwHwYDVR0jBBgwFoAUNgEI/XzGk9Rv9LaJ
DWzmA0MMKukwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZI
zj0EAwIDRwAwRAIgM1rpohhPGQNYmEOkt0H0dGdzy39LNS3EQ+eaBypL4LwCIENj
BrVJJ7J69RdDdGZeVi19Hd/91v3zTjYm1YsF883T
-----END CERTIFICATE-----`;
const CERT = `-----BEGIN CERTIFICATE-----
MIIBwDCCAWegAwIBAgIUfu10ckKrP3+/H9yVeRbEV2sVZv4wCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPQ0Egb2YgdGhlIHRlc3RzMCAXDTI2MTEyNDIwMTkzOFoYDzIx
MjYxMDMxMjAxOTM4WjAYMRYwFAYDVQQDDA1ob29rcy5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEmXK3c59P1My2zPG2ZMxyzDlJ7aqxRjd7t3BYs2gB
39bzwz7eLHJHpMBuogymb9OZCt7PWeTapmlCAav8ajY7G6OBijCBhzAYBgNVHREE
ETAPgg1ob29rcy5leGFtcGxlMAkGA1UdEwQCMAAwCwYDVR0PBAQDAgeAMBMGA1Ud
JQQMMAoGCCsGAQUFBwMBMB0GA1UdDgQWBBTK1UAiEDN71fm/ZwTRp2YosFv05zAf
BgNVHSMEGDAWgBQ2AQj9fMaT1G/0tokNbOYDQwwq6TAKBggqhkjOPQQDAgNHADBE
AiAQbJrjvBpUHTYbumBctPvT+VXEnsO6pg8xMmy7Of4LlQIgLTqtfjX9NhocEtxv
bN0YxSWQPFhYLbwOrWeLpAWf3Vw=
-----END CERTIFICATE-----`;
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgFS2UFFsCo5yY8I5l
vmVH8R1PIRazWx/ZKmk28oDnieqhRANCAASZcrdzn0/UzLbM8bZkzHLMOUntqrFG
N3u3cFizaAHf1vPDPt4sckekwG6iDKZv05kK3s9Z5NqmaUIBq/xqNjsb
-----END PRIVATE KEY-----`;

/** A server that gets one request and sends these texts, or what a function makes of the connection. */
function serve(
  respond: string | ((connection: Deno.Conn) => Promise<void>),
  listener: Deno.Listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }),
) {
  const { port } = listener.addr as Deno.NetAddr;
  const received = (async () => {
    const connection = await listener.accept();
    let request = "";
    try {
      const buffer = new Uint8Array(64 * 1024);
      // The hello of TLS has no end that this knows.
      while (!/\r\n\r\n[^]*!$/.test(request) && !request.startsWith("\x16")) {
        const length = await connection.read(buffer);
        if (length === null) break;
        request += Buffer.from(buffer.subarray(0, length)).toString("latin1");
      }
      if (typeof respond !== "string") await respond(connection);
      else await connection.write(Buffer.from(respond, "latin1"));
    } catch {
      // The caller has closed it.
    }
    try {
      connection.close();
    } catch {
      // So it was.
    }
    return request;
  })();
  return {
    port,
    async request(options: Partial<Parameters<typeof pinnedRequest>[0]> = {}) {
      const result = await pinnedRequest({
        url: new URL(`http://hooks.example:${port}/path?query=1#part`),
        addresses: ["127.0.0.1"],
        method: "POST",
        headers: new Headers({ "content-type": "text/plain", "x-key": "ké" }),
        body: new TextEncoder().encode("hello!"),
        maxBytes: 1_000,
        signal: AbortSignal.timeout(10_000),
        ...options,
      });
      const sent = await received;
      listener.close();
      return { ...result, sent };
    },
  };
}

/** Whether a body was not cut off. */
const isWhole = (body: string) => !["half", "ab"].includes(body);

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("a request goes to the address, and names the host of the URL", async () => {
  const server = serve("HTTP/1.1 200 OK\r\nX-Reply: yes\r\nContent-Length: 2\r\n\r\nok and more");
  const { data, sent } = await server.request();
  assert.deepEqual([data!.status, data!.headers.get("x-reply"), textOf(data!.body)], [200, "yes", "ok"]);
  assert.equal(
    sent,
    `POST /path?query=1 HTTP/1.1\r\nhost: hooks.example:${server.port}\r\nconnection: close\r\n` +
      "content-type: text/plain\r\nx-key: ké\r\ncontent-length: 6\r\n\r\nhello!",
  );
});

Deno.test("a caller's headers cannot change where the request ends or whom it names", async () => {
  const headers = new Headers({
    "host": "other.example",
    "content-length": "0",
    "transfer-encoding": "chunked",
    "connection": "keep-alive",
    "expect": "100-continue",
    "x-own": "1",
  });
  const server = serve("HTTP/1.1 204 No Content\r\n\r\n");
  const { sent } = await server.request({ headers });
  assert.deepEqual(sent.split("\r\n").slice(1, -2), [
    `host: hooks.example:${server.port}`,
    "connection: close",
    "x-own: 1",
    "content-length: 6",
  ]);
});

Deno.test("a response is read whole or up to the maximum, however it ends", async () => {
  for (
    const [what, response, status, body] of [
      ["without a length, up to its end", "HTTP/1.1 200 OK\r\n\r\nall of it", 200, "all of it"],
      ["of HTTP/1.0 without a reason", "HTTP/1.0 200\r\n\r\nold", 200, "old"],
      [
        "in chunks",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=1\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\nrest",
        200,
        "abc0123456789",
      ],
      [
        "after interim ones",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nx: y\r\n\r\nHTTP/1.1 201 C\r\n\r\n",
        201,
        "",
      ],
      ["of 204", "HTTP/1.1 204 No Content\r\n\r\nnothing", 204, ""],
      ["that is cut off", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", 200, "half"],
      ["whose chunk is malformed", "HTTP/1.1 400 B\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nzz\r\n", 400, "ab"],
      ["that is longer than the maximum", `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(5_000)}`, 200, "x".repeat(1_000)],
      [
        "in a chunk that is longer",
        `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n${"x".repeat(5_000)}`,
        200,
        "x".repeat(1_000),
      ],
    ] as const
  ) {
    const { data } = await serve(response).request();
    assert.deepEqual([data!.status, textOf(data!.body), data!.isComplete], [status, body, isWhole(body)], what);
  }
});

Deno.test("a response that is none is lost", async () => {
  for (
    const response of [
      "",
      "HTTP/1.1 200",
      "HTTP/1.1 200 OK\r\nx: y\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.1 20x OK\r\n\r\n",
      "SSH-2.0-OpenSSH_9.6\r\n",
      "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(70_000)}\r\n\r\n`,
      `HTTP/1.1 200 OK\r\n${"x: y\r\n".repeat(20_000)}\r\n`,
    ]
  ) {
    assert.equal((await serve(response).request()).error, "lost");
  }
});

Deno.test("a response that does not come, or not to its end, ends with the signal", async () => {
  for (
    const [begun, expected] of [
      ["", "timeout"],
      ["HTTP/1.1 200 OK\r\nx", "timeout"],
      ["HTTP/1.1 200 OK\r\n\r\nbegun", "200 begun"],
    ] as const
  ) {
    const patience = new AbortController();
    const server = serve(async (connection) => {
      await connection.write(new TextEncoder().encode(begun));
      setTimeout(() => patience.abort(), 300);
      await connection.read(new Uint8Array(1));
    });
    const { data, error } = await server.request({ signal: patience.signal });
    assert.equal(error ?? `${data!.status} ${textOf(data!.body)}`, expected);
  }
});

Deno.test("addresses are tried in their order until one accepts the connection", async () => {
  const server = serve("HTTP/1.1 200 OK\r\n\r\n");
  // Nothing listens on these.
  assert.equal((await server.request({ addresses: ["127.9.9.9", "127.8.8.8", "127.0.0.1"] })).data!.status, 200);
  const url = new URL(`http://hooks.example:${server.port}/`);
  const { error } = await pinnedRequest({
    url,
    addresses: ["127.0.0.1"],
    method: "GET",
    headers: new Headers(),
    maxBytes: 1,
    signal: AbortSignal.timeout(10_000),
  });
  assert.equal(error, "no_connection");
});

Deno.test("the certificate must be that of the URL's host, and of a known authority", async () => {
  for (
    const [host, caCerts, expected] of [
      ["hooks.example", [CA], 200],
      ["other.example", [CA], "tls"],
      ["127.0.0.1", [CA], "tls"],
      ["hooks.example", [], "tls"],
    ] as const
  ) {
    const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert: CERT, key: KEY });
    const server = serve("HTTP/1.1 200 OK\r\n\r\n", listener);
    const { data, error } = await server.request({
      url: new URL(`https://${host}:${server.port}/`),
      caCerts: [...caCerts],
    });
    assert.equal(data?.status ?? error, expected, host);
  }
});

Deno.test("a server that speaks no TLS is no secure one", async () => {
  const server = serve("HTTP/1.1 200 OK\r\n\r\n");
  const { error } = await server.request({ url: new URL(`https://hooks.example:${server.port}/`) });
  assert.equal(error, "tls");
});

Deno.test("a server that does not begin TLS ends with the signal", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepted = listener.accept();
  const { error } = await pinnedRequest({
    url: new URL(`https://hooks.example:${(listener.addr as Deno.NetAddr).port}/`),
    addresses: ["127.0.0.1"],
    method: "GET",
    headers: new Headers(),
    maxBytes: 1,
    signal: AbortSignal.timeout(100),
  });
  assert.equal(error, "timeout");
  (await accepted).close();
  listener.close();
});
