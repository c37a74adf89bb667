import assert from "node:assert/strict";
import fc from "fast-check";
import { BodyStream, GrowingBytes } from "./stream.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** The chunks as a byte stream, which HTTP bodies use, and as a default stream. */
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

async function readAll(stream: BodyStream): Promise<GrowingBytes> {
  const body = new GrowingBytes();
  for await (const piece of stream) body.append(piece);
  return body;
}

for (const [kind, open] of Object.entries(STREAMS)) {
  Deno.test(`property: a body is read completely from ${kind}, however it is split`, async () => {
    // To choose each byte at random would take most of the time.
    const chunk = fc.tuple(fc.nat(20_000), fc.nat(255))
      .map(([length, first]): Bytes => new Uint8Array(length).map((_, n) => first + n));
    await fc.assert(
      fc.asyncProperty(fc.array(chunk), async (chunks) => {
        const { bytes, size } = await readAll(new BodyStream(open(chunks)));
        assert.deepEqual(bytes, new Uint8Array(await new Blob(chunks).arrayBuffer()));
        assert.equal(size, bytes.length);
      }),
    );
  });

  Deno.test(`a body of ${kind} in chunks of one byte takes one small buffer`, async () => {
    const body = new BodyStream(open(Array.from({ length: 1_000 }, () => new Uint8Array(1))));
    const { bytes } = await readAll(body);
    assert.equal(bytes.length, 1_000);
    assert.equal(bytes.buffer.byteLength, 1024);
  });

  Deno.test(`a body of ${kind} may have a bounded number of pieces, and more if they are larger`, async () => {
    const pieces = (count: number, bytes: number) =>
      readAll(new BodyStream(open(Array.from({ length: count }, () => new Uint8Array(bytes)))));
    assert.equal((await pieces(1_000, 1)).size, 1_000);
    await assert.rejects(pieces(1_100, 1), { code: "BAD_REQUEST", message: /small pieces/ });
    assert.equal((await pieces(12_000, 1_024)).size, 12_288_000);
  });

  Deno.test(`the received size of a truncated body of ${kind} is known`, async () => {
    let pulls = 0;
    const broken = new ReadableStream({
      ...(kind === "bytes" && { type: "bytes" }),
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(new Uint8Array(10));
        else controller.error(new Error("broken off"));
      },
    } as UnderlyingSource<Bytes>);
    const body = new GrowingBytes();
    const reading = async () => {
      for await (const piece of new BodyStream(broken)) body.append(piece);
    };
    await assert.rejects(reading, { message: "broken off" });
    assert.equal(body.size, 10);
  });

  Deno.test(`cancelling ends a pending read of ${kind}`, async () => {
    const silent = new ReadableStream({
      ...(kind === "bytes" && { type: "bytes" }),
      pull: () => new Promise<void>(() => {}),
    } as UnderlyingSource<Bytes>);
    const body = new BodyStream(silent);
    const reading = readAll(body);
    body.cancel();
    assert.equal((await reading).size, 0);
  });
}

Deno.test("another reader continues where the first stopped", async () => {
  const stream = STREAMS.bytes!([new Uint8Array([1, 2]), new Uint8Array([3])]);
  const first = new BodyStream(stream);
  for await (const piece of first) {
    assert.deepEqual([...piece], [1, 2]);
    break;
  }
  first.release();
  assert.deepEqual([...(await readAll(new BodyStream(stream))).bytes], [3]);
});
