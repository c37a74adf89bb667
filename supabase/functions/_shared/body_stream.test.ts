import assert from "node:assert/strict";
import fc from "fast-check";
import { BodyStream } from "./body_stream.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The chunks as a byte stream, as bodies come over HTTP, and as any other stream. */
const STREAMS: Record<string, (chunks: Bytes[]) => ReadableStream<Bytes>> = {
  bytes(chunks) {
    const left = chunks.filter(({ length }) => length > 0);
    return new ReadableStream({
      type: "bytes",
      pull(controller) {
        const chunk = left.shift();
        if (chunk) controller.enqueue(chunk.slice());
        else {
          controller.close();
          controller.byobRequest?.respond(0);
        }
      },
    });
  },
  others: (chunks) => ReadableStream.from(chunks),
};

async function readAll(stream: BodyStream): Promise<Bytes> {
  while (await stream.read());
  return stream.bytes;
}

for (const [kind, open] of Object.entries(STREAMS)) {
  Deno.test(`property: a body is read whole from ${kind}, however it is cut and whatever is announced`, async () => {
    const chunk = fc.uint8Array({ maxLength: 20_000, size: "max" }) as fc.Arbitrary<Bytes>;
    await fc.assert(
      fc.asyncProperty(fc.array(chunk), fc.nat(300_000), async (chunks, announced) => {
        const read = await readAll(new BodyStream(open(chunks), announced));
        assert.deepEqual(read, new Uint8Array(await new Blob(chunks).arrayBuffer()));
      }),
    );
  });

  Deno.test(`a body of ${kind} in chunks of one byte takes one small buffer`, async () => {
    const body = new BodyStream(open(Array.from({ length: 5_000 }, () => new Uint8Array(1))), 0);
    const { buffer } = await readAll(body);
    assert.equal(body.size, 5_000);
    assert.equal(buffer.byteLength, 8 * 1024);
  });

  Deno.test(`what is forgotten of ${kind} takes no memory`, async () => {
    const body = new BodyStream(open(Array.from({ length: 100 }, () => new Uint8Array(10_000))), 0);
    for (; await body.read(); body.forget()) assert(body.size > 0);
    assert.equal(body.size, 0);
    assert(body.bytes.buffer.byteLength <= 64 * 1024);
  });

  Deno.test(`of a body of ${kind} that breaks off it is known how much came`, async () => {
    let pulls = 0;
    const broken = new ReadableStream({
      ...(kind === "bytes" && { type: "bytes" }),
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(new Uint8Array(10));
        else controller.error(new Error("broken off"));
      },
    } as UnderlyingSource<Bytes>);
    const body = new BodyStream(broken, 0);
    await assert.rejects(readAll(body), { message: "broken off" });
    assert.equal(body.size, 10);
    assert(body.bytes.length <= 10);
  });

  Deno.test(`cancelling ends a read of ${kind} that waits`, async () => {
    const silent = new ReadableStream({
      ...(kind === "bytes" && { type: "bytes" }),
      pull: () => new Promise<void>(() => {}),
    } as UnderlyingSource<Bytes>);
    const body = new BodyStream(silent, 0);
    const reading = body.read();
    body.cancel();
    assert.equal(await reading, false);
    assert.equal(await body.read(), false);
  });
}

Deno.test("who announces a large body gets room for it only when much of it has come", async () => {
  const stream = STREAMS.bytes!([new Uint8Array(10), new Uint8Array(100_000)]);
  const body = new BodyStream(stream, 10_000_000);
  await body.read();
  assert.equal(body.bytes.buffer.byteLength, 4 * 1024);
  await readAll(body);
  assert.equal(body.bytes.buffer.byteLength, 10_000_000 + 1024);
});

Deno.test("another may read on where one has stopped", async () => {
  const stream = STREAMS.bytes!([new Uint8Array([1, 2]), new Uint8Array([3])]);
  const first = new BodyStream(stream, 0);
  await first.read();
  first.release();
  assert.deepEqual([...first.bytes], [1, 2]);
  assert.deepEqual([...await readAll(new BodyStream(stream, 0))], [3]);
});
