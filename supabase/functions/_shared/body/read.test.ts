import assert from "node:assert/strict";
import { ApiError, type ErrorCode } from "../errors.ts";
import { BATCH_BOUNDS, type Json } from "../json.ts";
import { SEMAPHORES } from "../semaphores.ts";
import { KIB, MIB } from "../units.ts";
import { readFormText, readUnauthenticatedBody } from "./form.ts";
import { readJson as readJsonBody, type ReadOptions } from "./json.ts";
import { IncomingBody } from "./read.ts";

function request(body: BodyInit | null, headers: Record<string, string> = {}): IncomingBody {
  return new IncomingBody(new Request("http://localhost/", { method: "POST", body, headers }));
}

async function readJson(from: IncomingBody, limit: number, options?: ReadOptions): Promise<Json> {
  return (await readJsonBody(from, limit, options)).body;
}

function fails(code: ErrorCode) {
  return (error: unknown) => error instanceof ApiError && error.code === code;
}

Deno.test("a JSON body may have one of these media types, or none", async () => {
  const types = ["application/json", "application/json; charset=utf-8", "Application/JSON"];
  for (const type of [...types, "application/vnd.api+json", "text/plain"]) {
    const sent = request('{"a":1}', { "content-type": type });
    assert.deepEqual(await readJson(sent, KIB), { a: 1 });
  }
  const bytes = new TextEncoder().encode('{"a":1}');
  assert.deepEqual(await readJson(request(bytes), KIB), { a: 1 });
});

Deno.test("JSON is refused as any other type or compressed, and a form only as a form", async () => {
  const types = ["application/x-www-form-urlencoded", "text/html", "multipart/form-data"];
  for (
    const headers of [
      ...[...types, "application/pdf"].map((type) => ({ "content-type": type })),
      { "content-encoding": "gzip" },
    ] as Record<string, string>[]
  ) {
    await assert.rejects(readJson(request("{}", headers), KIB), fails("UNSUPPORTED_MEDIA_TYPE"));
  }
  const form = request("a=1", { "content-type": "application/json" });
  await assert.rejects(readFormText(form, KIB), fails("UNSUPPORTED_MEDIA_TYPE"));
});

Deno.test("a body of exactly the limit is read, one more byte is refused", async () => {
  const text = JSON.stringify("x".repeat(KIB - 2));
  assert.equal(await readJson(request(text), KIB), "x".repeat(KIB - 2));
  await assert.rejects(readJson(request(text + " "), KIB), fails("PAYLOAD_TOO_LARGE"));
});

Deno.test("the limit applies to a stream of unknown length and to a wrong Content-Length", async () => {
  const stream = () => ReadableStream.from([new Uint8Array(KIB), new Uint8Array(1)]);
  await assert.rejects(readJson(request(stream()), KIB), fails("PAYLOAD_TOO_LARGE"));
  await assert.rejects(readJson(request(stream(), { "content-length": "2" }), KIB), fails("PAYLOAD_TOO_LARGE"));
});

Deno.test("a truncated or empty body is BAD_REQUEST", async () => {
  const broken = () => new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
  const announced = request(broken(), { "content-length": "7" });
  for (const body of [request(broken()), announced, request(null)]) {
    await assert.rejects(readJson(body, KIB), fails("BAD_REQUEST"));
  }
});

/** A body that sends these chunks and then stalls, and reports when it is cancelled. */
function stalled(...chunks: string[]) {
  const cancelled = Promise.withResolvers<void>();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
    },
    cancel: () => cancelled.resolve(),
  });
  return { stream, cancelled: cancelled.promise };
}

Deno.test("a body that does not arrive in time is REQUEST_TIMEOUT, and reading stops", async () => {
  const { stream, cancelled } = stalled('{"a":', "1");
  const announced = request(stalled('{"a":', "1").stream, { "content-length": "7" });
  for (const body of [request(stream), announced]) {
    await assert.rejects(readJson(body, KIB, { within: 20 }), fails("REQUEST_TIMEOUT"));
  }
  await cancelled;
});

Deno.test("every reader gives a body 30 s, and its error says so", async () => {
  const { setTimeout: start } = globalThis;
  globalThis.setTimeout = ((run: () => void, ms: number) => start(run, ms === 30_000 ? 1 : ms)) as typeof start;
  try {
    const slow = (type: string) => request(stalled("{").stream, { "content-type": type });
    const json = "application/json";
    for (
      const reading of [
        readJson(slow(json), KIB),
        readFormText(slow("application/x-www-form-urlencoded"), KIB),
        readUnauthenticatedBody(slow(json), KIB, known),
      ]
    ) {
      await assert.rejects(reading, { code: "REQUEST_TIMEOUT", message: "the body did not arrive within 30 s" });
    }
  } finally {
    globalThis.setTimeout = start;
  }
});

Deno.test("a body that announces more than the limit is refused before it is read", async () => {
  const headers = { "content-length": `${KIB + 1}`, "content-type": "application/json" };
  await assert.rejects(readJson(request(stalled("{").stream, headers), KIB), fails("PAYLOAD_TOO_LARGE"));
  const form = { ...headers, "content-type": "application/x-www-form-urlencoded" };
  await assert.rejects(readFormText(request(stalled("a=").stream, form), KIB), fails("PAYLOAD_TOO_LARGE"));
});

Deno.test("the size of one record is bounded; a batch may hold more", async () => {
  const values = JSON.stringify(Array.from({ length: 150_000 }, () => null));
  const [record, batch] = [request(values), request(values)];
  await assert.rejects(readJson(record, 10 * MIB, { sender: "a" }), fails("PAYLOAD_TOO_LARGE"));
  record.release();
  const options = { bounds: BATCH_BOUNDS, sender: "a" };
  assert(Array.isArray(await readJson(batch, 10 * MIB, options)));
  batch.release();
});

const LARGE = JSON.stringify("A".repeat(4 * MIB));

Deno.test("two requests with many bytes are read at a time, until they are released", async () => {
  const requests = [1, 2, 3, 4].map(() => request(LARGE));
  const read = requests.map((each) => readJson(each, 10 * MIB, { sender: "a" }));
  const done: number[] = [];
  for (const [n, reading] of read.entries()) reading.then(() => done.push(n), () => {});

  await Promise.all(read.slice(0, 2));
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(done, [0, 1]);
  assert.deepEqual(await readJson(request("{}"), KIB), {});

  requests[1]!.release();
  await read[2];
  const late = request(LARGE);
  await assert.rejects(readJson(late, 10 * MIB, { within: 20, sender: "a" }), fails("REQUEST_TIMEOUT"));
  for (const each of requests) each.release();
  await read[3];
  requests[3]!.release();
  assert.deepEqual(done, [0, 1, 2, 3]);
});

for (
  const [what, large] of [
    ["many bytes", LARGE],
    ["many values", `[${"0.5,".repeat(100_001)}0]`],
  ] as const
) {
  Deno.test(`one batch with ${what} is parsed at a time, until it is released`, async () => {
    const read = (body: IncomingBody, within = 5_000) =>
      readJson(body, 10 * MIB, { bounds: BATCH_BOUNDS, sender: "a", within });
    const [first, late, second] = [request(large), request(large), request(large)];
    assert(await read(first));
    await assert.rejects(read(late, 50), fails("REQUEST_TIMEOUT"));
    late.release();

    assert.deepEqual(await read(request("[]")), []);
    const waiting = read(second);
    first.release();
    assert(await waiting);
    second.release();
  });
}

Deno.test("the rest of a refused body is read, so that the caller receives the response", async () => {
  let left = 2_000;
  const stream = new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(new Uint8Array(10 * KIB));
      else controller.close();
    },
  });
  const refused = request(stream);
  await assert.rejects(readJson(refused, KIB), fails("PAYLOAD_TOO_LARGE"));
  await refused.finish();
  assert.equal(left, -1);
});

Deno.test("an endless or very large refused body is read only up to a bound", async () => {
  let bytes = 0;
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        bytes += 100 * KIB;
        controller.enqueue(new Uint8Array(100 * KIB));
      },
    });
  await request(endless()).finish();
  assert(bytes > 32 * MIB && bytes < 34 * MIB, String(bytes));
  bytes = 0;
  await request(endless(), { "content-length": `${33 * MIB}` }).finish();
  assert(bytes < MIB, String(bytes));
});

Deno.test("a refused body is dropped if its sender has hung up or it was already read", async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
  await request(broken).finish();
  await request(null).finish();
  const read = request("{}");
  await readJson(read, KIB);
  await read.finish();
});

const known = () => Promise.resolve("a vendor");

Deno.test("a stranger's body is JSON or a form, and its bytes are passed to the check of the sender", async () => {
  for (
    const [type, text, expected] of [
      ["application/json", '{"a":["1","2"]}', { a: ["1", "2"] }],
      ["text/plain; charset=utf-8", '{"a":1}', { a: 1 }],
      ["application/x-www-form-urlencoded", "a=1&a=2", { a: ["1", "2"] }],
      ["application/x-www-form-urlencoded", ' {"a":"1=&2"}', { a: "1=&2" }],
      ["application/x-www-form-urlencoded", '[{"a":1}]', [{ a: 1 }]],
      [
        "multipart/form-data; boundary=b",
        '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--',
        { a: "1" },
      ],
    ] as const
  ) {
    let signed = "";
    const { sender, body } = await readUnauthenticatedBody(
      request(text, { "content-type": type }),
      KIB,
      (bytes) => {
        signed = new TextDecoder().decode(bytes!);
        return known();
      },
    );
    assert.deepEqual([sender, body, signed], ["a vendor", expected, text]);
  }
});

Deno.test("a stranger's body is checked for its size first, then its sender, then its type", async () => {
  const unknown = () => Promise.reject(new ApiError("UNAUTHORIZED", "unknown"));
  const xml = { "content-type": "application/xml" };
  const read = (text: string, identify: () => Promise<string>) =>
    readUnauthenticatedBody(request(text, xml), KIB, identify);
  await assert.rejects(read("x".repeat(KIB + 1), unknown), fails("PAYLOAD_TOO_LARGE"));
  await assert.rejects(read("x".repeat(KIB + 1), known), fails("PAYLOAD_TOO_LARGE"));
  await assert.rejects(read("<a/>", unknown), fails("UNAUTHORIZED"));
  await assert.rejects(read("<a/>", known), fails("UNSUPPORTED_MEDIA_TYPE"));
  const gzip = () => request("{}", { "content-encoding": "gzip" });
  await assert.rejects(readUnauthenticatedBody(gzip(), KIB, unknown), fails("UNAUTHORIZED"));
  await assert.rejects(readUnauthenticatedBody(gzip(), KIB, known), fails("UNSUPPORTED_MEDIA_TYPE"));
});

/** A body that sends this many bytes and then waits until the test ends it. */
function paused(bytes: number, announced = bytes) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stream = new ReadableStream({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(JSON.stringify("x".repeat(bytes - 2))));
      await promise;
      controller.close();
    },
  });
  return { request: request(stream, { "content-length": `${announced}` }), end: resolve };
}

Deno.test("strangers who announce large bodies and stall block neither known senders nor other strangers", async () => {
  const slow = Array.from({ length: 20 }, () => paused(100 * KIB, 15 * MIB));
  const reading = slow.map((each) => readUnauthenticatedBody(each.request, 15 * MIB, known).catch(() => {}));
  const large = request(JSON.stringify("A".repeat(5 * MIB)));
  assert(await readJson(large, 15 * MIB, { sender: "a", within: 1_500 }));
  large.release();

  const others = [100 * KIB, 11 * MIB, 11 * MIB].map(async (bytes) => {
    const fast = paused(bytes);
    fast.end();
    const { body } = await readUnauthenticatedBody(fast.request, 15 * MIB, known, { within: 1_500 });
    fast.request.release();
    return (body as string).length;
  });
  assert.deepEqual(await Promise.all(others), [100 * KIB - 2, 11 * MIB - 2, 11 * MIB - 2]);
  slow.forEach(({ end }) => end());
  await Promise.all(reading);
});

for (
  const [who, sender, most] of [["a known sender", "a", 18 * MIB], ["unknown senders", undefined, 20 * MIB]] as const
) {
  Deno.test(`bodies of ${who} that stall below 4 MiB hold a bounded part of the memory`, async () => {
    const stopped = Array.from({ length: 12 }, () => paused(3.9 * MIB, 4 * MIB));
    const reading = stopped.map(({ request }) =>
      (sender === undefined
        ? readUnauthenticatedBody(request, 15 * MIB, known)
        : readJson(request, 15 * MIB, { sender }))
        .then(() => request.release(), (error) => error.code)
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert(SEMAPHORES.bodyBytes.used > 8 * MIB && SEMAPHORES.bodyBytes.used <= most, `${SEMAPHORES.bodyBytes.used}`);
    const other = request(LARGE);
    assert(await readJson(other, 15 * MIB, { sender: "b", within: 1_500 }));
    other.release();
    stopped.forEach(({ end }) => end());
    for (const outcome of await Promise.all(reading)) assert.equal(outcome, undefined);
    assert.equal(SEMAPHORES.bodyBytes.used, 0);
  });
}

Deno.test("a stranger's slow large body is read while nobody else waits", async () => {
  const slow = paused(100 * KIB);
  const reading = readUnauthenticatedBody(slow.request, 15 * MIB, known);
  await new Promise((resolve) => setTimeout(resolve, 2_200));
  slow.end();
  assert((await reading).body);
});

Deno.test("a body that waits too long for memory is REQUEST_TIMEOUT, and one that finds memory does not wait", async () => {
  const slow = paused(12 * MIB, 15 * MIB);
  const reading = readUnauthenticatedBody(slow.request, 15 * MIB, known);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const [late, usual] = [paused(9 * MIB), paused(100 * KIB)];
  late.end();
  await assert.rejects(
    readUnauthenticatedBody(late.request, 16 * MIB, known, { within: 50 }),
    { code: "REQUEST_TIMEOUT", message: /other large bodies came first/ },
  );
  usual.end();
  assert((await readUnauthenticatedBody(usual.request, 16 * MIB, known, { within: 1_500 })).body);
  slow.end();
  await reading;
  slow.request.release();
});

Deno.test("a slow body is given up while others wait for its memory", async () => {
  const slow = ["a", "b"].map((sender) => {
    const body = paused(14 * MIB, 15 * MIB);
    const reading = readJson(body.request, 15 * MIB, { sender }).then(() => 200, (error) => error.message);
    return { ...body, reading };
  });
  await new Promise((resolve) => setTimeout(resolve, 20));
  const fast = paused(13 * MIB);
  fast.end();
  assert(await readJson(fast.request, 15 * MIB, { sender: "c", within: 20_000 }));
  fast.request.release();
  assert.match(await slow[0]!.reading, /too slowly while others were waiting/);
  slow[1]!.end();
  assert.equal(await slow[1]!.reading, 200);
  for (const { request } of slow) request.release();
  assert.equal(SEMAPHORES.bodyBytes.used, 0);
});

Deno.test("a body whose sender is recognized before it arrives uses that sender's share", async () => {
  const slow = paused(12 * MIB, 15 * MIB);
  const reading = readUnauthenticatedBody(slow.request, 15 * MIB, known);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const asked: string[] = [];
  const recognize = () => {
    asked.push("asked");
    return Promise.resolve("a vendor");
  };
  const options = { recognize, within: 1_500 };
  const proved = paused(12 * MIB);
  proved.end();
  assert((await readUnauthenticatedBody(proved.request, 15 * MIB, known, options)).body);
  proved.request.release();
  await readUnauthenticatedBody(request("{}", { "content-length": "2" }), 15 * MIB, known, options);
  assert.deepEqual(asked, ["asked"]);
  slow.end();
  await reading;
  slow.request.release();
});

Deno.test("a body in tiny pieces is BAD_REQUEST, and reading stops", async () => {
  let pieces = 0;
  const stream = new ReadableStream({
    pull(controller) {
      pieces++;
      controller.enqueue(new Uint8Array([32]));
    },
  });
  const tiny = request(stream);
  await assert.rejects(readJson(tiny, 15 * MIB, { sender: "a" }), fails("BAD_REQUEST"));
  await tiny.finish(true);
  assert(pieces < 1_100, String(pieces));
  assert(tiny.received.bytes >= 1_000);
  assert.equal(tiny.received.beginning[999], 32);
});

Deno.test("bodies that are given up free their memory", async () => {
  const listen = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using server = Deno.serve(listen, async (request) => {
    const body = new IncomingBody(request);
    const reading = readUnauthenticatedBody(body, 15 * MIB, known, { within: 50 });
    const status = await reading.then(() => 200, () => 408);
    body.release();
    return new Response(null, { status });
  });
  const giveUp = async () => {
    using connection = await Deno.connect({ port: server.addr.port });
    const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${14 * MIB}\r\n\r\n`;
    const sent = new TextEncoder().encode(head + " ".repeat(4 * MIB));
    for (let at = 0; at < sent.length;) at += await connection.write(sent.subarray(at));
    const response = new Uint8Array(100);
    await connection.read(response);
    assert.match(new TextDecoder().decode(response), /^HTTP\/1.1 408/);
  };
  for (let n = 0; n < 5; n++) await giveUp();
  const before = Deno.memoryUsage().rss;
  for (let n = 0; n < 25; n++) await giveUp();
  const growth = (Deno.memoryUsage().rss - before) / MIB;
  assert(growth < 80, `${growth} MiB`);
});
