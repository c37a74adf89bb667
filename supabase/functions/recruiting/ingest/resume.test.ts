import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { ApiError } from "../../_shared/errors.ts";
import { decodePdf, MAX_RESUME_BYTES, readResume, type ResumeFields } from "./resume.ts";

const PDF = "%PDF-1.7\n\u00e2\u00e3\n%%EOF\n";
const BYTES = Buffer.from(PDF, "latin1");
const BASE64 = BYTES.toString("base64");

/** The bytes of what a vendor says, as the route stores them. */
function stored(fields: ResumeFields): string {
  const { resume } = readResume(fields);
  assert.ok(resume);
  return Buffer.from(decodePdf(resume)).toString("latin1");
}

for (
  const [name, data] of Object.entries({
    "standard base64": BASE64,
    "without padding": BASE64.replaceAll("=", ""),
    "with too much padding": `${BASE64}====`,
    "URL-safe": BYTES.toString("base64url"),
    "in lines": BASE64.replace(/(.{8})/g, "$1\r\n"),
    "in blanks": `\n ${BASE64} \n`,
    "a data: URL": `data:application/pdf;base64,${BASE64}`,
    "a data: URL with a name": `DATA:application/pdf;name=cv.pdf;base64,${BASE64}`,
    "a data: URL without a type": `data:;base64,${BASE64}`,
  })
) {
  Deno.test(`a resume ${name} is stored byte for byte`, () => {
    assert.equal(stored({ data }), PDF);
  });
}

Deno.test("a PDF may begin within the first 1,024 bytes", () => {
  const late = Buffer.concat([Buffer.alloc(1_000, " "), BYTES]);
  assert.equal(stored({ data: late.toString("base64") }).trim(), PDF.trim());
});

for (
  const [fields, claims] of [
    [{}, undefined],
    [{ content_type: "application/pdf" }, "pdf"],
    [{ content_type: "Application/X-PDF; charset=binary" }, "pdf"],
    [{ content_type: "pdf" }, "pdf"],
    [{ content_type: ".PDF" }, "pdf"],
    [{ content_type: ".docx" }, "docx"],
    [{ content_type: "text/plain" }, "text/plain"],
    [{ content_type: "application/octet-stream" }, undefined],
    [{ content_type: "application/octet-stream", file_name: "cv.doc" }, "doc"],
    [{ file_name: "my.cv.PDF" }, "pdf"],
    [{ file_name: "cv" }, undefined],
    [{ content_type: `${"x".repeat(99)}\u{1f600}` }, `${"x".repeat(99)}\ufffd`],
    [{ content_type: 5, file_name: {} }, undefined],
  ] as [ResumeFields, string | undefined][]
) {
  Deno.test(`a resume with ${JSON.stringify(fields)} claims to be ${claims}`, () => {
    assert.equal(readResume({ data: BASE64, ...fields }).resume?.claims, claims);
  });
}

Deno.test("the type in a data: URL wins", () => {
  const data = `data:text/html;base64,${BASE64}`;
  assert.equal(readResume({ data, content_type: "application/pdf" }).resume?.claims, "text/html");
});

for (const data of [undefined, null, "", "  ", "data:application/pdf;base64,", false, {}, []]) {
  Deno.test(`${JSON.stringify(data)} is no resume`, () => {
    assert.equal(readResume({ data }).resume, undefined);
  });
}

Deno.test("a web address is kept and is no file", () => {
  const url = "https://files.example.com/cv.pdf";
  assert.deepEqual(readResume({ data: url }), { resume_url: url });
  assert.deepEqual(readResume({ url }), { resume_url: url });
  assert.equal(readResume({ data: BASE64, url }).resume_url, url);
});

for (
  const [data, message] of [
    ["not base64!", "resume is not base64"],
    ["JVBER", "resume is not base64"],
    ["====", "resume is not base64"],
    [Buffer.from("hello").toString("base64"), "resume is not a PDF"],
    [5, "resume is not base64"],
    [true, "resume is not base64"],
    [["JVBERi0="], "resume is not base64"],
    [{ a: 1 }, "resume is not base64"],
  ] as const
) {
  Deno.test(`a resume ${JSON.stringify(data)} is refused`, () => {
    assert.throws(
      () => stored({ data: data as ResumeFields["data"] }),
      (error) =>
        error instanceof ApiError && error.code === "BAD_REQUEST" && error.message === message,
    );
  });
}

Deno.test("a resume may be 10 MiB and not a byte more", () => {
  const largest = Buffer.alloc(MAX_RESUME_BYTES, " ");
  largest.write("%PDF-");
  assert.equal(stored({ data: largest.toString("base64") }).length, MAX_RESUME_BYTES);
  const larger = Buffer.concat([largest, Buffer.from(" ")]).toString("base64");
  assert.throws(
    () => stored({ data: larger }),
    (error) => error instanceof ApiError && error.code === "PAYLOAD_TOO_LARGE",
  );
});
