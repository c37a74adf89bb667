import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import fc from "fast-check";
import { DOCUMENTS, latin1, ole, zip } from "./fixtures/documents.ts";
import { mediaTypeOf } from "./media_type.ts";

const DOCX = DOCUMENTS.docx!.mediaType;
const [OFFICE, ZIP] = ["application/vnd.openxmlformats-officedocument", "application/zip"];
const ODT = DOCUMENTS.odt!.mediaType;
const TEXT = "Jane Doe\r\n\tSold life insurance for 7 years.\n";
const WORD = { "[Content_Types].xml": "<Types/>", "word/document.xml": "<w:document/>" };

Deno.test("each stored document has its type", () => {
  for (const [ending, { mediaType, bytes }] of Object.entries(DOCUMENTS)) {
    assert.equal(mediaTypeOf(bytes), mediaType, ending);
  }
});

const FILES: [what: string, bytes: Uint8Array | string, mediaType: string | undefined][] = [
  ["a PDF after a line of something", latin1("\x00\x01junk\n%PDF-1.4\n\xff"), "application/pdf"],
  ["a PDF after 1,000 blanks", `${" ".repeat(1_000)}%PDF-1.4\n\xff`, "application/pdf"],
  ["a PDF of ASCII alone after an HTTP header", "HTTP/1.1 200 OK\r\n\r\n%PDF-1.4\n", "application/pdf"],
  ["a text that speaks of PDF", "My resume, a %PDF-1.4 file", "text/plain"],
  ["a web page that speaks of PDF", "<html>%PDF-1.4</html>", "text/html"],

  ["a Word document of another program", zip({ "[Content_Types].xml": "", "word/document2.xml": "" }), DOCX],
  ["a Word document with backslashes", zip({ "word\\document.xml": "" }), DOCX],
  ["a Word document that was cut off", zip(WORD, false), DOCX],
  [
    "a Word document with macros",
    zip({ ...WORD, "word/vbaProject.bin": "" }),
    "application/vnd.ms-word.document.macroenabled.12",
  ],
  [
    "an Excel sheet",
    zip({ "[Content_Types].xml": "", "xl/workbook.xml": "", "xl/embeddings/word/a.docx": "" }),
    `${OFFICE}.spreadsheetml.sheet`,
  ],
  [
    "a presentation",
    zip({ "[Content_Types].xml": "", "ppt/presentation.xml": "" }),
    `${OFFICE}.presentationml.presentation`,
  ],
  ["an archive of a Word document", zip({ "cv.docx": DOCUMENTS.docx!.bytes }), ZIP],
  ["an archive of a PDF", zip({ "cv.pdf": DOCUMENTS.pdf!.bytes }), ZIP],
  ["an archive with a folder word", zip({ "word/cv.pdf": "" }), ZIP],
  ["an empty archive", zip({}), ZIP],
  ["an EPUB", zip({ mimetype: "application/epub+zip" }), "application/epub+zip"],
  ["an OpenDocument template", zip({ mimetype: `${ODT}-template` }), `${ODT}-template`],
  ["an archive that says it is a web page", zip({ mimetype: "text/html" }), ZIP],
  ["an archive that says it is a PDF", zip({ mimetype: "application/pdf" }), ZIP],
  ["an archive with OpenDocument's type further down", zip({ a: "", mimetype: ODT }), ZIP],

  ["a Word 97 document with an Excel sheet in it", ole(["1Table", "WordDocument"], ["Workbook"]), "application/msword"],
  ["an Excel 97 sheet with a Word document in it", ole(["Workbook"], ["WordDocument"]), "application/vnd.ms-excel"],
  ["an Excel 5 sheet", ole(["Book"]), "application/vnd.ms-excel"],
  ["a PowerPoint 97 presentation", ole(["PowerPoint Document"]), "application/vnd.ms-powerpoint"],
  ["an Outlook message", ole(["__properties_version1.0"]), "application/vnd.ms-outlook"],
  ["a Word document with a password", ole(["EncryptionInfo", "EncryptedPackage"]), "application/x-ole-storage"],
  [
    "a Word 97 document that was cut off",
    latin1(
      "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "\xff".repeat(504) +
        "W\0o\0r\0d\0D\0o\0c\0u\0m\0e\0n\0t\0",
    ),
    "application/msword",
  ],
  ["nothing but an OLE header", latin1("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), "application/x-ole-storage"],

  ["text in ASCII", TEXT, "text/plain"],
  ["text of one word", "hello", "text/plain"],
  ["text in UTF-8 with a byte order mark", Buffer.from(`\ufeff${TEXT}`), "text/plain"],
  ["text in UTF-8 with emoji and Chinese", Buffer.from("王小明 🌷\n".repeat(100)), "text/plain"],
  ["text in UTF-16", Buffer.from(`\ufeff${TEXT}🌷`, "utf16le"), "text/plain"],
  ["text in UTF-16 without a mark", Buffer.from(TEXT, "utf16le"), "text/plain"],
  ["text in big-endian UTF-16", Buffer.from(`\ufeff${TEXT}`, "utf16le").swap16(), "text/plain"],
  ["text in Windows-1252", latin1("R\xe9sum\xe9 \x96 Zo\xeb M\xfcller\n"), "text/plain"],
  ["text with a page break", `${TEXT}\f${TEXT}`, "text/plain"],
  ["text that begins with a name in brackets", "<Jane Doe> [agent] {life}", "text/plain"],
  ["text that begins with a list", "[1] Sold life insurance", "text/plain"],
  ["text with a web address", `https://www.linkedin.com/in/${"x".repeat(60)}`, "text/plain"],

  ["a web page", "\ufeff\n <!DOCTYPE html>\n<html><body>Hi", "text/html"],
  ["a part of a web page", "<p>Jane Doe</p>", "text/html"],
  ["a web page in UTF-16", Buffer.from("\ufeff<html>", "utf16le"), "text/html"],
  ["a web page with control characters", "<HTML>\0\x01", "text/html"],
  ["XHTML", '<?xml version="1.0"?>\n<!DOCTYPE html><html xmlns="">', "text/html"],
  ["XML", '<?xml version="1.0"?><resume/>', "application/xml"],
  ["XML without a declaration", "<resume xmlns='urn:x'><name>Jane</name></resume>", "application/xml"],
  ["an SVG image", '<?xml version="1.0"?><!-- x --><svg onload="alert(1)"/>', "image/svg+xml"],
  ["JSON", '\n{ "name" : "Jane"}', "application/json"],
  ["a list in JSON", '[{"name": "Jane"}]', "application/json"],
  ["an empty JSON object", "{}", "application/json"],
  ["a PostScript document", "%!PS-Adobe-3.0\n", "application/postscript"],

  ["an image", latin1("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "image/png"],
  ["a photo", latin1("\xff\xd8\xff\xe0\0\x10JFIF %PDF-1.4"), "image/jpeg"],
  ["a photo of a phone", latin1("\0\0\0\x18ftypheic\0\0\0\0"), "image/heic"],
  ["a video", latin1("\0\0\0\x18ftypisom\0\0\0\0"), "video/mp4"],
  ["a program", latin1("MZ\x90\0\x03\0\0\0"), "application/vnd.microsoft.portable-executable"],
  ["a program for Linux", latin1("\x7fELF\x02\x01"), "application/x-executable"],
  ["a gzip archive", latin1("\x1f\x8b\x08\0"), "application/gzip"],

  ["nothing", "", undefined],
  ["blanks", " \r\n\t", undefined],
  ["a byte of zero", "\0", undefined],
  ["text with a control character", `${TEXT}\x07`, undefined],
  ["UTF-16 with half a character", Buffer.from("\ufeffab\ud800", "utf16le"), undefined],
  ["UTF-16 with half a unit", latin1("\xff\xfea\0b"), undefined],
  ["UTF-16 of zeros", latin1("\xff\xfe\0\0\0\0"), undefined],
  ["Windows-1252 with a byte that it leaves undefined", latin1(`${TEXT}\xe9\x81`), undefined],
  ["letters of a Cyrillic code page", latin1("\xcf\xf0\xe8\xe2\xe5\xf2 \xec\xe8\xf0"), undefined],
  ["base64 of a PDF", btoa(`%PDF-1.4\n${"\0".repeat(100)}`), undefined],
  ["base64 in lines", `${"QUJD".repeat(19)}\r\n`.repeat(20), undefined],
];

Deno.test("a file has the type that its content says, or none", () => {
  for (const [what, bytes, mediaType] of FILES) {
    assert.equal(mediaTypeOf(typeof bytes === "string" ? latin1Or8(bytes) : bytes), mediaType, what);
  }
});

function latin1Or8(text: string): Uint8Array {
  return /[\u0100-\uffff]/.test(text) ? Buffer.from(text) : latin1(text);
}

Deno.test("property: any bytes have a type or none, and random bytes are never text", () => {
  const starts = [...Object.values(DOCUMENTS).map(({ bytes }) => bytes), ole([], ["a"])];
  const broken = fc.tuple(
    fc.constantFrom(...starts),
    fc.array(fc.tuple(fc.nat(4_000), fc.nat(255)), { maxLength: 20 }),
    fc.nat(4_000),
  ).map(([bytes, changes, length]) => {
    const changed = Uint8Array.from(bytes.subarray(0, length));
    for (const [at, byte] of changes) if (at < changed.length) changed[at] = byte;
    return changed;
  });
  fc.assert(
    fc.property(broken, (bytes) => {
      assert(["string", "undefined"].includes(typeof mediaTypeOf(bytes)));
    }),
    { numRuns: 700 },
  );
  // Long and without a bias to small numbers, because few bytes, or many zeros and spaces, can be text in UTF-16.
  const noise = fc.noBias(fc.uint8Array({ minLength: 4_000, maxLength: 5_000 }));
  fc.assert(fc.property(noise.filter((bytes) => new Set(bytes).size > 60), (bytes) => {
    assert.notEqual(mediaTypeOf(bytes), "text/plain");
  }));
});

Deno.test("a megabyte of anything is read in linear time", () => {
  const units = [
    ...["a", " ", "<", "PK\x03\x04", "PK\x01\x02", "%PDF", "a\0"],
  ];
  const starts = ["", "PK\x03\x04", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "\xff\xfe", "<?xml "];
  for (const unit of units) {
    for (const start of starts) {
      const bytes = Buffer.alloc(1_000_000, latin1(unit));
      bytes.write(start, "latin1");
      const started = performance.now();
      mediaTypeOf(bytes);
      // A quadratic step over a megabyte would take minutes.
      assert(performance.now() - started < 5_000, JSON.stringify([start, unit]));
    }
  }
});
