import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { DOCUMENTS, zip } from "./fixtures/documents.ts";
import { ENDINGS, MAX_RESUME_BYTES, readResumeFile } from "./resume_file.ts";

const PDF = Buffer.from(DOCUMENTS.pdf!.bytes);
const BASE64 = PDF.toString("base64");

Deno.test("a resume in any usual form of base64 is decoded byte for byte", () => {
  for (
    const [name, base64] of Object.entries({
      "standard base64": BASE64,
      "base64 without padding": BASE64.replaceAll("=", ""),
      "base64 with too much padding": `${BASE64}====`,
      "URL-safe base64": PDF.toString("base64url"),
      "base64 in lines": BASE64.replace(/(.{8})/g, "$1\r\n"),
    })
  ) {
    const { data } = readResumeFile(base64);
    assert.deepEqual(data && Buffer.from(data.bytes), PDF, name);
  }
});

Deno.test("every stored type has a file extension", () => {
  const read = Object.values(DOCUMENTS).map(({ bytes }) => {
    const { data } = readResumeFile(Buffer.from(bytes).toString("base64"));
    return [data?.mediaType, data?.ending];
  });
  assert.deepEqual(read, Object.entries(DOCUMENTS).map(([ending, { mediaType }]) => [mediaType, ending]));
  assert.deepEqual(read.toSorted(), Array.from(ENDINGS).toSorted());
});

const SKIPPED = [
  ["", "not_base64"],
  ["?", "not_base64"],
  ["not base64!", "not_base64"],
  ["JVBER", "not_base64"],
  ["====", "not_base64"],
  ["JVBERi0=JVBERi0=", "not_base64"],
  ["iVBORw0KGgo=", "image/png"],
  [btoa("<!doctype html>"), "text/html"],
  ["AAEC", "unknown"],
  [btoa('{"error": "not found"}'), "application/json"],
  [Buffer.from(zip({ "cv.pdf": DOCUMENTS.pdf!.bytes })).toString("base64"), "application/zip"],
] as const;

Deno.test("what is not stored has its reason", () => {
  for (const [base64, reason] of SKIPPED) {
    assert.deepEqual(readResumeFile(base64), { data: null, error: reason });
  }
});

Deno.test("docs/parsers.md names no other reason for which a resume is skipped", () => {
  const page = Deno.readTextFileSync(new URL("../../../../docs/parsers.md", import.meta.url));
  const [, reasons] = /`resume_skipped` then gives the reason: (.+?\.)\s+A value/s.exec(page)!;
  const named = Array.from(reasons!.matchAll(/`([^`]+)`/g), ([, reason]) => reason!);
  assert(named.length > 0);
  // The last two are shown by e2e/routes/dry_run.test.ts and ../../desk/read_delivery.test.ts.
  const shown = [...SKIPPED.map(([, reason]) => reason), "too_large", "bulk", "replay"] as string[];
  assert.deepEqual(named.filter((reason) => !shown.includes(reason)), []);
});

Deno.test("a resume of 10 MiB is stored, one more byte is too_large", () => {
  const largest = Buffer.alloc(MAX_RESUME_BYTES, " ");
  largest.write("%PDF-");
  assert.equal(readResumeFile(largest.toString("base64")).data?.bytes.length, MAX_RESUME_BYTES);
  const larger = Buffer.concat([largest, Buffer.from(" ")]).toString("base64");
  assert.equal(readResumeFile(larger).error, "too_large");
});
