import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import twilio from "twilio";
import RequestClient from "twilio/lib/base/RequestClient.js";
import { createMessage, deleteMessage, listMedia, listMessages, type NewMessage } from "./api.ts";
import type { TwilioAccount } from "./account.ts";

const SID = `AC${"0".repeat(32)}`;
const TEXT: NewMessage = {
  to: "+12025550101",
  from: "+12025550102",
  messagingServiceSid: null,
  body: "Hi",
  mediaUrls: [],
  statusCallback: "https://project.example/functions/v1/recruiting/sms/status?message=1",
  validityPeriod: null,
};

/** A request as the server received it. */
interface Seen {
  method: string;
  path: string;
  /** Names and values of the query. */
  query: [string, string][];
  headers: Record<string, string>;
  form: [string, string][];
}

const SENT: Record<string, Partial<NewMessage>> = {
  "a text": {},
  "a text of a messaging service": { messagingServiceSid: `MG${"1".repeat(32)}` },
  "a text that expires": { validityPeriod: 36_000 },
  "a text with signs that a form encodes": { body: " 50% off = win +1 & more\r\n\u{1F600} Köln's" },
  "two files without words": {
    body: "",
    mediaUrls: ["https://media.example/a?token=x&y=%2F", "https://media.example/b"],
  },
};

for (const [name, parts] of Object.entries(SENT)) {
  Deno.test(`${name} makes the same request as Twilio's own library`, async () => {
    const text = { ...TEXT, ...parts };
    const [ours, theirs] = await requestsOf(
      (account) => createMessage(text, { account }),
      (client) =>
        client.messages.create({
          to: text.to,
          from: text.from,
          messagingServiceSid: text.messagingServiceSid ?? undefined,
          body: text.body || undefined,
          mediaUrl: text.mediaUrls.length > 0 ? text.mediaUrls : undefined,
          statusCallback: text.statusCallback,
          validityPeriod: text.validityPeriod ?? undefined,
        }),
    );
    assert(ours.form.length >= 4);
    assert.deepEqual(ours, theirs);
  });
}

Deno.test("listing texts makes the same request as Twilio's own library", async () => {
  const since = new Date("2026-11-21T10:00:00Z");
  const [ours, theirs] = await requestsOf(
    (account) => Array.fromAsync(listMessages({ to: TEXT.to, from: TEXT.from, since }, account)),
    (client) => client.messages.page({ to: TEXT.to, from: TEXT.from, dateSentAfter: since, pageSize: 1000 }),
    { messages: [] },
  );
  assert.equal(ours.query.length, 4);
  assert.deepEqual(ours, theirs);
});

Deno.test("listing a text's files makes the same request as Twilio's own library", async () => {
  const [ours, theirs] = await requestsOf(
    (account) => listMedia("MM1", account),
    (client) => client.messages("MM1").media.page(),
    { media_list: [] },
  );
  assert.equal(ours.path, `/2010-04-01/Accounts/${SID}/Messages/MM1/Media.json`);
  assert.deepEqual(ours, theirs);
});

Deno.test("deleting a text makes the same request as Twilio's own library", async () => {
  const [ours, theirs] = await requestsOf(
    (account) => deleteMessage("SM1", account),
    (client) => client.messages("SM1").remove(),
  );
  assert.equal(ours.method, "DELETE");
  // The library accepts any media type for a response without a body.
  ours.headers.accept = theirs.headers.accept!;
  assert.deepEqual(ours, theirs);
});

Deno.test("a list is read to its last page, and the credentials are sent to no other host", async () => {
  const page = (sid: string, next: string | null) => ({
    messages: [{
      sid,
      direction: "outbound-api",
      from: TEXT.from,
      to: TEXT.to,
      body: "Hi",
      status: "queued",
      error_code: null,
      num_media: "0",
      date_created: "Fri, 24 May 2019 17:18:27 +0000",
      date_sent: null,
    }],
    next_page_uri: next,
  });
  const bodies = [page("SM1", "/next?Page=1"), page("SM2", "https://elsewhere.example/next")];
  const seen: string[] = [];
  await using server = serve((request) => {
    seen.push(new URL(request.url).pathname);
    return Response.json(bodies.shift());
  });
  const messages = await Array.fromAsync(listMessages({}, accountAt(server.origin)));
  assert.deepEqual(seen, [`/2010-04-01/Accounts/${SID}/Messages.json`, "/next"]);
  assert.deepEqual(messages.map(({ sid }) => sid), ["SM1", "SM2"]);
  assert.deepEqual(messages[0], {
    sid: "SM1",
    direction: "outbound-api",
    from: TEXT.from,
    to: TEXT.to,
    body: "Hi",
    status: "queued",
    error_code: null,
    num_media: 0,
    date_created: new Date("2019-05-24T17:18:27Z"),
    date_sent: null,
  });
});

Deno.test("a list that Twilio refuses is an error with its code, never an empty list", async () => {
  for (
    const [response, code] of [
      [() => Response.json({ code: 20003, message: "Authenticate" }, { status: 401 }), "20003"],
      [() => new Response("<html>", { status: 503 }), "HTTP 503"],
      [() => new Response("<html>"), "HTTP 200"],
    ] as const
  ) {
    await using server = serve(response);
    await assert.rejects(Array.fromAsync(listMessages({}, accountAt(server.origin))), { name: "TwilioError", code });
  }
});

Deno.test("an endless list is an error", async () => {
  await using server = serve(() => Response.json({ messages: [], next_page_uri: "/next" }));
  await assert.rejects(
    Array.fromAsync(listMessages({}, accountAt(server.origin), { within: 100 })),
    { name: "TwilioError", code: "no_response" },
  );
});

Deno.test("a file is named as in Twilio's webhooks", async () => {
  const uri = `/2010-04-01/Accounts/${SID}/Messages/MM1/Media/ME1`;
  await using server = serve(() => Response.json({ media_list: [{ uri: `${uri}.json`, content_type: "image/png" }] }));
  assert.deepEqual(await listMedia("MM1", accountAt(server.origin)), [
    { url: server.origin + uri, content_type: "image/png" },
  ]);
});

Deno.test("a response has its status, its wait and its JSON", async () => {
  await using server = serve(() => Response.json({ code: 20429 }, { status: 429, headers: { "Retry-After": "7" } }));
  assert.deepEqual(await createMessage(TEXT, { account: accountAt(server.origin) }), {
    kind: "response",
    status: 429,
    retryAfter: "7",
    body: { code: 20429 },
  });
});

Deno.test("at most 16 MiB of a response are read, and Twilio may have the text", async () => {
  const body = `{"sid":"SM1"}${" ".repeat(17 * 1024 * 1024)}`;
  await using server = serve(() => new Response(body, { status: 201 }));
  const exchange = await createMessage(TEXT, { account: accountAt(server.origin) });
  assert.deepEqual(exchange, { kind: "lost" });
});

Deno.test("a redirect is not followed", async () => {
  let requests = 0;
  await using server = serve(() => {
    requests++;
    return new Response(null, { status: 307, headers: { Location: "/elsewhere" } });
  });
  const exchange = await createMessage(TEXT, { account: accountAt(server.origin) });
  assert.equal(exchange.kind === "response" && exchange.status, 307);
  assert.equal(requests, 1);
});

/** What a server does with a request after it has read all of it. */
const LOST: Record<string, (socket: Socket) => void> = {
  "closes the connection": (socket) => socket.end(),
  "resets the connection": (socket) => socket.resetAndDestroy(),
  "says nothing in time": () => {},
  "sends what is no HTTP": (socket) => socket.end("hello\r\n\r\n"),
  "stops within the head": (socket) => socket.end("HTTP/1.1 201 Created\r\nContent-Le"),
  "stops within the body": (socket) => socket.end('HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{"sid":"SM'),
  "stays silent within the body": (socket) =>
    socket.write('HTTP/1.1 201 Created\r\nContent-Length: 99\r\n\r\n{"sid":"SM'),
};

for (const isReused of [false, true]) {
  for (const [what, respond] of Object.entries(LOST)) {
    const connection = isReused ? "an open connection" : "a new connection";
    Deno.test(`a server that ${what} may have the text, which was sent once over ${connection}`, async () => {
      await using server = await rawServer(respond);
      const account = accountAt(`http://127.0.0.1:${server.port}`);
      if (isReused) await (await fetch(account.origin)).text();
      assert.deepEqual(await createMessage(TEXT, { account, timeout: 500 }), { kind: "lost" });
      assert.equal(server.posts(), 1);
    });
  }
}

Deno.test("a refused connection, an unknown host name and a TLS failure have sent nothing", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  listener.close();
  await using plain = await rawServer(() => {}, (socket) => socket.end("no TLS here\r\n"));
  for (
    const origin of [
      `http://127.0.0.1:${port}`,
      "http://no-such-host.invalid",
      `https://127.0.0.1:${plain.port}`,
    ]
  ) {
    const exchange = await createMessage(TEXT, { account: accountAt(origin), timeout: 5_000 });
    assert.deepEqual(exchange, { kind: "not_sent" }, origin);
  }
});

/** Returns the requests that we and Twilio's library send for the same call. */
async function requestsOf(
  ours: (account: TwilioAccount) => Promise<unknown>,
  theirs: (client: twilio.Twilio) => Promise<unknown>,
  body: object = { sid: "SM1" },
): Promise<[Seen, Seen]> {
  const seen: Seen[] = [];
  await using server = serve(async (request) => {
    seen.push(await describe(request));
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    return Response.json(body, { status: request.method === "POST" ? 201 : 200 });
  });
  await ours(accountAt(server.origin));
  const httpClient = new RequestClient();
  const request = httpClient.request.bind(httpClient);
  httpClient.request = (options) =>
    request({
      ...options,
      uri: options.uri.replace("https://api.twilio.com", server.origin),
      // A connection that the library keeps open would leak from this test.
      headers: { ...options.headers, Connection: "close" },
    });
  await theirs(twilio(`SK${"2".repeat(32)}`, "sëcret", { accountSid: SID, httpClient }));
  assert.equal(seen.length, 2);
  return seen as [Seen, Seen];
}

async function describe(request: Request): Promise<Seen> {
  const url = new URL(request.url);
  const form = [...new URLSearchParams(await request.text())];
  const names = ["accept", "accept-charset", "authorization", "content-type"];
  return {
    method: request.method,
    path: url.pathname,
    query: [...url.searchParams].sort(),
    headers: Object.fromEntries(names.map((name) => [name, request.headers.get(name) ?? ""])),
    form: form.sort(),
  };
}

function accountAt(origin: string): TwilioAccount {
  return { sid: SID, username: `SK${"2".repeat(32)}`, password: "sëcret", origin };
}

function serve(handler: (request: Request) => Response | Promise<Response>) {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** A server that responds to GET, and handles a POST as the test specifies. */
async function rawServer(
  respond: (socket: Socket) => void,
  greet: (socket: Socket) => void = () => {},
) {
  const sockets = new Set<Socket>();
  let posts = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    greet(socket);
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes.toString();
      const [head, body] = received.split("\r\n\r\n");
      if (body === undefined) return;
      if (head!.startsWith("GET")) {
        received = "";
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        return;
      }
      const length = Number(/content-length: (\d+)/i.exec(head!)?.[1]);
      assert(length > 0, "Twilio must learn the length of the form");
      if (body.length < length) return;
      received = "";
      posts++;
      respond(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    posts: () => posts,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
