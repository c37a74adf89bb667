import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { pinnedRequest } from "../../_shared/pinned_request.ts";
import { failure, success } from "../../_shared/result.ts";
import { fetchFile } from "./fetch_file.ts";

const TWILIO = { sid: "AC1", username: "SK1", password: "secret", origin: "https://api.twilio.com" };
const DOUBLE = { ...TWILIO, origin: "http://127.0.0.1:9" };
const FILE = "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1";
// Public IP addresses, which need no name server.
const CDN = "https://93.184.215.14/file";
const JPEG = Buffer.from("\xff\xd8\xff\xe0 a picture", "latin1");

interface Sent {
  url: string;
  login: string | null;
}

/** Fetches a file while the network returns these responses in sequence. */
async function fetchWith(responses: Response[], url = FILE, account = TWILIO) {
  const sent: Sent[] = [];
  const next = (url: URL, headers?: HeadersInit) => {
    sent.push({ url: url.href, login: new Headers(headers).get("authorization") });
    return responses.shift();
  };
  const realFetch = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const response = next(input as URL, init?.headers);
    return response === undefined ? Promise.reject(new TypeError("no network")) : Promise.resolve(response);
  };
  /** The requests to other hosts than that of the account. */
  const request: typeof pinnedRequest = async ({ url, addresses, headers }) => {
    assert.deepEqual(addresses, [url.hostname]);
    const response = next(url, headers);
    if (response === undefined) return failure("no_connection");
    const { status } = response;
    const body = new Uint8Array(await response.arrayBuffer());
    return success({ status, headers: response.headers, body, isComplete: !response.headers.has("x-cut-off") });
  };
  try {
    return { ...await fetchFile(account, url, request), sent };
  } finally {
    globalThis.fetch = realFetch;
  }
}

function redirectTo(location: string, status = 307): Response {
  return new Response(null, { status, headers: { location } });
}

Deno.test("a redirect to a public host is followed, without the credentials", async () => {
  const { data, sent } = await fetchWith([redirectTo("/2010-04-01/other"), redirectTo(CDN, 302), new Response(JPEG)]);
  assert.equal(data?.contentType, "image/jpeg");
  assert.deepEqual(Buffer.from(data!.bytes), JPEG);
  const login = `Basic ${btoa("SK1:secret")}`;
  assert.deepEqual(sent, [
    { url: FILE, login },
    { url: "https://api.twilio.com/2010-04-01/other", login },
    { url: CDN, login: null },
  ]);
});

Deno.test("three redirects are followed, a fourth is not", async () => {
  const three = () => [1, 2, 3].map((n) => redirectTo(`${CDN}/${n}`));
  assert.equal((await fetchWith([...three(), new Response(JPEG)])).error, null);
  const { error, sent } = await fetchWith([...three(), redirectTo(`${CDN}/4`), new Response(JPEG)]);
  assert.deepEqual(error, { outcome: "failed", reason: "address" });
  assert.equal(sent.length, 4);
});

Deno.test("nothing is fetched from a host that is not public, or without https", async () => {
  for (
    const location of [
      "http://93.184.215.14/file",
      "https://127.0.0.1/file",
      "https://localhost/file",
      "https://169.254.169.254/latest/meta-data",
      "https://10.0.0.1/",
      "https://[::1]/",
      "https://[::ffff:10.0.0.1]/",
      "https://user:password@93.184.215.14/",
      "file:///etc/passwd",
      "data:image/png;base64,iVBORw0KGgo=",
      "https://",
    ]
  ) {
    const { error, sent } = await fetchWith([redirectTo(location), new Response(JPEG)]);
    assert.deepEqual(error, { outcome: "failed", reason: "address" }, location);
    assert.equal(sent.length, 1, location);
  }
});

Deno.test("the first request goes only to Twilio", async () => {
  for (
    const url of [
      "https://example.com/1.jpg",
      "https://twilio.com.example.com/1.jpg",
      "https://eviltwilio.com/1.jpg",
      "http://api.twilio.com/1.jpg",
      "https://api.twilio.com:8443/1.jpg",
      "https://user@api.twilio.com/1.jpg",
      "https://api.twilio.com@example.com/1.jpg",
      "text-media/1.jpg",
      "",
    ]
  ) {
    const { error, sent } = await fetchWith([new Response(JPEG)], url);
    assert.deepEqual([error, sent], [{ outcome: "failed", reason: "address" }, []], url);
  }
  const { error, sent } = await fetchWith([new Response(JPEG)], FILE, DOUBLE);
  assert.deepEqual([error?.reason, sent], ["address", []], "the double's login does not go to Twilio");
  assert.equal((await fetchWith([new Response(JPEG)], "http://127.0.0.1:9/file", DOUBLE)).error, null);
});

Deno.test("a response determines whether the file is tried again", async () => {
  for (
    const [status, outcome, reason] of [
      [404, "failed", "gone"],
      [410, "failed", "gone"],
      [401, "later", "credentials"],
      [403, "later", "credentials"],
      [429, "later", "HTTP 429"],
      [500, "later", "HTTP 500"],
      [304, "later", "HTTP 304"],
    ] as const
  ) {
    const { error } = await fetchWith([new Response(null, { status })]);
    assert.deepEqual(error, { outcome, reason }, String(status));
  }
  const { error } = await fetchWith([redirectTo(CDN), new Response(null, { status: 403 })]);
  assert.deepEqual(error, { outcome: "later", reason: "HTTP 403" }, "the other host knows no login");
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError("the connection was closed")) });
  assert.equal((await fetchWith([new Response(broken)])).error?.outcome, "later");
  assert.equal((await fetchWith([])).error?.outcome, "later");
});

Deno.test("a file of another host that is cut off, or has no response, is tried again", async () => {
  const cutOff = new Response(JPEG, { headers: { "x-cut-off": "1" } });
  assert.deepEqual((await fetchWith([redirectTo(CDN), cutOff])).error, { outcome: "later", reason: "lost" });
  assert.deepEqual((await fetchWith([redirectTo(CDN)])).error, { outcome: "later", reason: "no_connection" });
});

Deno.test("a file of 5 MiB is fetched, and one more byte is too large, whatever its headers", async () => {
  const bytes = Buffer.alloc(5 * 1024 * 1024 + 1);
  JPEG.copy(bytes);
  assert.equal(
    (await fetchWith([new Response(Buffer.concat([JPEG, bytes]).subarray(0, 5 * 1024 * 1024))])).error,
    null,
  );
  const { error } = await fetchWith([new Response(bytes)]);
  assert.deepEqual(error, { outcome: "failed", reason: "too_large" });
  const told = new Response("", { headers: { "content-length": "6000000" } });
  assert.equal((await fetchWith([told])).error?.reason, "too_large");
});

Deno.test("the type of a file is determined by its content", async () => {
  const html = new Response("<html>", { headers: { "content-type": "image/jpeg" } });
  assert.deepEqual((await fetchWith([html])).error, { outcome: "failed", reason: "type" });
  const png = new Response(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), { headers: { "content-type": "text/html" } });
  assert.equal((await fetchWith([png])).data?.contentType, "image/png");
});
