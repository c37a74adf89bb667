import assert from "node:assert/strict";
import { KIB, readForm, readJson } from "./body.ts";
import { ApiError, type ErrorCode } from "./errors.ts";

function request(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  return new Request("http://localhost/", { method: "POST", body, headers });
}

function fails(code: ErrorCode) {
  return (error: unknown) => error instanceof ApiError && error.code === code;
}

for (
  const type of [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/vnd.api+json",
    "text/plain",
  ]
) {
  Deno.test(`a JSON body as ${type}`, async () => {
    assert.deepEqual(await readJson(request('{"a":1}', { "content-type": type }), KIB), { a: 1 });
  });
}

Deno.test("a JSON body without a content type", async () => {
  const bytes = new TextEncoder().encode('{"a":1}');
  assert.deepEqual(await readJson(request(bytes), KIB), { a: 1 });
});

for (
  const type of [
    "application/x-www-form-urlencoded",
    "text/html",
    "multipart/form-data",
    "application/pdf",
  ]
) {
  Deno.test(`JSON is not taken as ${type}`, async () => {
    await assert.rejects(
      readJson(request("{}", { "content-type": type }), KIB),
      fails("UNSUPPORTED_MEDIA_TYPE"),
    );
  });
}

Deno.test("a compressed body is refused by name, not as broken JSON", async () => {
  await assert.rejects(
    readJson(request("{}", { "content-encoding": "gzip" }), KIB),
    fails("UNSUPPORTED_MEDIA_TYPE"),
  );
});

Deno.test("a body of the limit is read, a byte more is refused", async () => {
  const text = JSON.stringify("x".repeat(KIB - 2));
  assert.equal(await readJson(request(text), KIB), "x".repeat(KIB - 2));
  await assert.rejects(readJson(request(text + " "), KIB), fails("PAYLOAD_TOO_LARGE"));
});

Deno.test("the limit holds for a stream of unknown length and a Content-Length that lies", async () => {
  const stream = () => ReadableStream.from([new Uint8Array(KIB), new Uint8Array(1)]);
  await assert.rejects(readJson(request(stream()), KIB), fails("PAYLOAD_TOO_LARGE"));
  await assert.rejects(
    readJson(request(stream(), { "content-length": "2" }), KIB),
    fails("PAYLOAD_TOO_LARGE"),
  );
});

Deno.test("a multi-byte character across two chunks", async () => {
  const bytes = new TextEncoder().encode('"é"');
  const stream = ReadableStream.from([bytes.slice(0, 2), bytes.slice(2)]);
  assert.equal(await readJson(request(stream), KIB), "é");
});

Deno.test("a body that breaks off is BAD_REQUEST", async () => {
  const stream = new ReadableStream({ pull: (controller) => controller.error(new Error("reset")) });
  await assert.rejects(readJson(request(stream), KIB), fails("BAD_REQUEST"));
});

Deno.test("an empty body is BAD_REQUEST", async () => {
  await assert.rejects(readJson(request(null), KIB), fails("BAD_REQUEST"));
});

Deno.test("a form keeps repeated and empty parameters in order", async () => {
  const form = await readForm(
    request("a=1&b=&a=2", { "content-type": "application/x-www-form-urlencoded; charset=UTF-8" }),
    KIB,
  );
  assert.deepEqual([...form], [["a", "1"], ["b", ""], ["a", "2"]]);
});

Deno.test("a form is taken as a form only", async () => {
  await assert.rejects(
    readForm(request("a=1", { "content-type": "application/json" }), KIB),
    fails("UNSUPPORTED_MEDIA_TYPE"),
  );
});
