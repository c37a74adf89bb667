import assert from "node:assert/strict";
import type { Json } from "../../_shared/json.ts";
import { readResume, type ResumeFields } from "./resume.ts";

const BASE64 = "JVBERi0xLjQKJSVFT0YK";

Deno.test("a resume is returned as its base64, unchecked", () => {
  for (
    const [name, data, base64] of [
      ["bare base64", BASE64, BASE64],
      ["a data: URL", `data:application/pdf;base64,${BASE64}`, BASE64],
      ["a data: URL with a name", `DATA:application/pdf;name=cv.pdf;base64,${BASE64}`, BASE64],
      ["a data: URL without a type", `data:;base64,${BASE64}`, BASE64],
      ["what is not base64 at all", "not base64!", "not base64!"],
    ] as const
  ) {
    assert.equal(readResume({ data }).resume?.base64, base64, name);
  }
});

Deno.test("a value of another kind is a resume that is not base64", () => {
  for (const data of [5, true, [5, 256], [["JVBERi0="]], { a: 1 }] as Json[]) {
    assert.equal(readResume({ data }).resume?.base64, "?");
  }
});

Deno.test("a resume has the type that its fields say", () => {
  for (
    const [fields, type] of [
      [{}, undefined],
      [{ content_type: "application/pdf" }, "pdf"],
      [{ content_type: "Application/X-PDF; charset=binary" }, "pdf"],
      [{ content_type: ".PDF" }, "pdf"],
      [{ content_type: "application/octet-stream" }, undefined],
      [{ content_type: "application/octet-stream", file_name: "cv.doc" }, "doc"],
      [{ file_name: "my.cv.PDF" }, "pdf"],
      [{ content_type: `${"x".repeat(99)}\u{1f600}` }, `${"x".repeat(99)}\ufffd`],
      [{ content_type: 5, file_name: {} }, undefined],
    ] as [ResumeFields, string | undefined][]
  ) {
    assert.equal(readResume({ data: BASE64, ...fields }).resume?.type, type);
  }
});

Deno.test("the first of a list is the resume, and the others are recorded as skipped", () => {
  const image = { type: "image/png", bytes: 70 };
  const word = { type: "application/msword", bytes: 48_213 };
  assert.deepEqual(readResume({ data: [BASE64], content_type: "pdf" }), {
    resume: { base64: BASE64, type: "pdf" },
    resume_url: undefined,
    resume_skipped: undefined,
  });
  const { resume, resume_skipped } = readResume({ data: [BASE64, image, word] });
  assert.equal(resume?.base64, BASE64);
  assert.equal(resume_skipped, "another image/png of 70 bytes; another application/msword of 48213 bytes");
  assert.equal(readResume({ data: [null, image] }).resume_skipped, "another image/png of 70 bytes");
  const url = "https://files.example.com/cv.pdf";
  assert.deepEqual(readResume({ data: [url, image] }), {
    resume: undefined,
    resume_url: url,
    resume_skipped: "another image/png of 70 bytes",
  });
});

Deno.test("the type in a data: URL takes precedence", () => {
  const data = `data:text/html;base64,${BASE64}`;
  assert.equal(readResume({ data, content_type: "application/pdf" }).resume?.type, "text/html");
});

Deno.test("what is blank is not a resume", () => {
  for (const data of [undefined, null, "", "  ", "data:application/pdf;base64,", false, {}, []]) {
    assert.equal(readResume({ data }).resume, undefined);
  }
});

Deno.test("a web URL is kept and is not a file", () => {
  const url = "https://files.example.com/cv.pdf";
  const none = { resume: undefined, resume_skipped: undefined };
  assert.deepEqual(readResume({ data: url }), { ...none, resume_url: url });
  assert.deepEqual(readResume({ url }), { ...none, resume_url: url });
  assert.equal(readResume({ data: BASE64, url }).resume_url, url);
});
