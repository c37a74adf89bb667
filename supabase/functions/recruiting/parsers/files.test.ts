import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../_shared/json.ts";
import { Fields } from "./fields.ts";
import { describeFiles, describeOtherFiles, readFile, withoutFiles } from "./files.ts";

const LONG = "QUJD".repeat(2_000);
/** The escaping that PHP uses in JSON. */
const ESCAPED = "QUI/".repeat(2_000).replaceAll("/", "\\/");

Deno.test("metadata has no files and no form key of Google, and all else", () => {
  for (
    const [name, given, kept] of [
      ["a long base64 text", { note: LONG }, {}],
      ["a data: URL", { photo: "data:image/png;base64,iVBORw0=" }, {}],
      ["a short PDF", { letter: "JVBERi0xLjQK" }, {}],
      ["a file among others", { files: ["JVBERi0xLjQK", "a.pdf"] }, { files: [null, "a.pdf"] }],
      [
        "the content of an object that names a file",
        { a: [{ fileName: "a.txt", contentType: "text/plain", data: "aGk=" }] },
        { a: [{ fileName: "a.txt", contentType: "text/plain" }] },
      ],
      ["a field of the same name elsewhere", { data: "hello" }, { data: "hello" }],
      [
        "a file in a JSON text",
        { raw: `{"name":"Ann","cv":"data:application/pdf;base64,${LONG}","files":["${ESCAPED}"]}` },
        { raw: '{"name":"Ann","cv":"data:application/pdf;base64,","files":[""]}' },
      ],
      ["a long text", { note: "ab ".repeat(5_000) }, { note: "ab ".repeat(5_000) }],
      ["a token", { token: LONG.slice(0, 1_000) }, { token: LONG.slice(0, 1_000) }],
      ["Google's form key", { a: { google_key: "k", googleKey: 5 }, b: 1 }, { a: {}, b: 1 }],
    ] as [string, JsonObject, JsonObject][]
  ) {
    assert.deepEqual(withoutFiles(given), kept, name);
  }
});

Deno.test("each file among a vendor's fields becomes its type and size, and the resume is removed everywhere", () => {
  const resume = "aGVsbG8=";
  assert.deepEqual(
    describeOtherFiles({ a: { cv: resume }, portfolio: "JVBERi0xLjQK", files: [resume, LONG], b: "x" }, resume),
    {
      a: {},
      portfolio: { type: "application/pdf", bytes: 9 },
      files: [null, { type: "unknown", bytes: 6_000 }],
      b: "x",
    },
  );
});

Deno.test("the known keys of a file's object are taken, and the others remain", () => {
  const fields = new Fields({ cv: { Content: "aGk=", MimeType: "text/plain", "file-name": "a.txt", pages: 2 } });
  assert.deepEqual(readFile(fields, "cv"), {
    data: "aGk=",
    content_type: "text/plain",
    file_name: "a.txt",
    url: undefined,
  });
  assert.deepEqual(fields.rest(), { cv: { pages: 2 } });
});

Deno.test("in a rejected delivery, each file becomes its type and size, and Google's key is left out", () => {
  const long = "QUJD".repeat(2_000);
  assert.deepEqual(
    describeFiles({
      first_name: "Ada",
      resume: "JVBERi0xLjQK",
      cv: "data:image/png;base64,iVBORw0K",
      files: [long, { file_name: "a.doc", content: "aGVsbG8=", pages: 2 }],
      bytes: Array.from({ length: 5_000 }, () => 7),
      raw: `{"cv":"${long}"}`,
      google_key: "a secret",
      nested: { googleKey: "a secret", url: "https://example.com/cv.pdf" },
    }),
    {
      first_name: "Ada",
      resume: { type: "application/pdf", bytes: 9 },
      cv: { type: "image/png", bytes: 6 },
      files: [
        { type: "unknown", bytes: 6_000 },
        { file_name: "a.doc", content: { type: "unknown", bytes: 5 }, pages: 2 },
      ],
      bytes: { type: "unknown", bytes: 5_000 },
      raw: '{"cv":""}',
      nested: { url: "https://example.com/cv.pdf" },
    },
  );
  for (const value of [null, "a text", 1, [1, 2], []]) {
    assert.deepEqual(describeFiles(value), value);
  }
});

Deno.test("an array of bytes is a file, an array of anything else is not", () => {
  assert.deepEqual(readFile(new Fields({ cv: [104, 105] }), "cv"), { data: "aGk=" });
  for (const cv of [[104, 256], [1.5], [-1], [[104]], [null]]) {
    assert.deepEqual(readFile(new Fields({ cv }), "cv"), { data: cv });
  }
});

Deno.test("the first file of a list is taken, and the others are described", () => {
  for (
    const [what, cv, data, rest] of [
      ["texts", ["JVBERi0=", "data:image/png;base64,iVBORw0K", "see b.pdf"], [
        "JVBERi0=",
        { type: "image/png", bytes: 6 },
      ], [null, null, "see b.pdf"]],
      ["blanks before them", [null, " ", "JVBERi0=", LONG, "UEsDBA=="], [
        "JVBERi0=",
        { type: "unknown", bytes: 6_000 },
        { type: "application/zip", bytes: 4 },
      ], [null, " ", null, null, null]],
      [
        "objects",
        [
          { data: "JVBERi0=", size: 5 },
          { file_name: "b.doc", contentType: "application/msword", content: "aGVsbG8=" },
          { base64: LONG },
          { url: "https://files.example.com/c.pdf", data: "x" },
        ],
        ["JVBERi0=", { type: "application/msword", bytes: 5 }, { type: "unknown", bytes: 6_000 }],
        [
          { size: 5 },
          { file_name: "b.doc", contentType: "application/msword" },
          null,
          { url: "https://files.example.com/c.pdf", data: "x" },
        ],
      ],
      ["a text and arrays of bytes", ["JVBERi0=", Array(5_000).fill(7), [1, 2]], [
        "JVBERi0=",
        { type: "unknown", bytes: 5_000 },
      ], [null, null, [1, 2]]],
      [
        "what a rejected delivery keeps of them",
        [{ type: "application/pdf", bytes: 9 }, { type: "image/png", bytes: 6 }],
        [{ type: "application/pdf", bytes: 9 }, { type: "image/png", bytes: 6 }],
        undefined,
      ],
    ] as [string, Json[], Json, Json | undefined][]
  ) {
    const fields = new Fields({ cv });
    assert.deepEqual(readFile(fields, "cv").data, data);
    assert.deepEqual(fields.rest(), rest && { cv: rest }, what);
  }
});

Deno.test("a replay recognizes the description of a file in a rejected delivery", () => {
  for (
    const sent of [{ cv: "JVBERi0xLjQK" }, { cv: { data: "JVBERi0xLjQK", fileName: "a.pdf" } }]
  ) {
    const { data } = readFile(new Fields(describeFiles(sent)), "cv");
    assert.deepEqual(data, { type: "application/pdf", bytes: 9 });
  }
});
