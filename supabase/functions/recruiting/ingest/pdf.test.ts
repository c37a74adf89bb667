import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { decodePdf, MAX_PDF_BYTES } from "./pdf.ts";

const PDF = "%PDF-1.7\n\u00e2\u00e3\n%%EOF\n";
const BYTES = Buffer.from(PDF, "latin1");
const BASE64 = BYTES.toString("base64");

for (
  const [name, base64] of Object.entries({
    "standard base64": BASE64,
    "base64 without padding": BASE64.replaceAll("=", ""),
    "base64 with too much padding": `${BASE64}====`,
    "URL-safe base64": BYTES.toString("base64url"),
    "base64 in lines": BASE64.replace(/(.{8})/g, "$1\r\n"),
    "base64 between spaces": `\n ${BASE64} \n`,
  })
) {
  Deno.test(`a PDF in ${name} is decoded byte for byte`, () => {
    const { data } = decodePdf(base64);
    assert.deepEqual(data && Buffer.from(data), BYTES);
  });
}

Deno.test("a PDF may begin within the first 1,024 bytes", () => {
  const late = Buffer.concat([Buffer.alloc(1_000, " "), BYTES]);
  assert.deepEqual(decodePdf(late.toString("base64")).data, new Uint8Array(late));
});

for (
  const [base64, message] of [
    ["", "resume is not base64"],
    ["?", "resume is not base64"],
    ["not base64!", "resume is not base64"],
    ["JVBER", "resume is not base64"],
    ["====", "resume is not base64"],
    [Buffer.from("hello").toString("base64"), "resume is not a PDF"],
  ] as const
) {
  Deno.test(`${JSON.stringify(base64)} is refused: ${message}`, () => {
    const { error } = decodePdf(base64);
    assert.deepEqual([error?.code, error?.message], ["BAD_REQUEST", message]);
  });
}

Deno.test("a PDF of 10 MiB is decoded, a byte more is PAYLOAD_TOO_LARGE", () => {
  const largest = Buffer.alloc(MAX_PDF_BYTES, " ");
  largest.write("%PDF-");
  assert.equal(decodePdf(largest.toString("base64")).data?.length, MAX_PDF_BYTES);
  const larger = Buffer.concat([largest, Buffer.from(" ")]).toString("base64");
  assert.equal(decodePdf(larger).error?.code, "PAYLOAD_TOO_LARGE");
});

Deno.test("property: any text is decoded or refused", () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.base64String());
  fc.assert(fc.property(text, (base64) => {
    const { data, error } = decodePdf(base64);
    assert.notEqual(data === null, error === null);
  }));
});

Deno.test("a megabyte of any character is read in linear time", () => {
  for (const unit of [" ", "=", "A", "-", "\n", "A ", "=A", "?"]) {
    const text = unit.repeat(1_000_000 / unit.length);
    const started = performance.now();
    decodePdf(text);
    decodePdf(`JVBERi0${text}`);
    // A quadratic step over a megabyte would take minutes.
    assert(performance.now() - started < 5_000, `${JSON.stringify(unit)} took too long`);
  }
});
