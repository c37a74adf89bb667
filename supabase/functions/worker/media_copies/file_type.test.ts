import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { fileType } from "./file_type.ts";

const FILES: [head: string, type: string | undefined][] = [
  ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"],
  ["\x89PNG\r\n\x1a\n\0\0", "image/png"],
  ["GIF89a\x01\0", "image/gif"],
  ["RIFF\x24\0\0\0WEBPVP8 ", "image/webp"],
  ["\0\0\0\x18ftypheic\0\0\0\0", "image/heic"],
  ["\0\0\0\x18ftypmif1\0\0\0\0", "image/heic"],
  ["\0\0\0\x18ftypisom\0\0\0\0", "video/mp4"],
  ["\0\0\0\x18ftypmp42\0\0\0\0", "video/mp4"],
  ["\0\0\0\x18ftyp3gp4\0\0\0\0", "video/3gpp"],
  ["#!AMR\n\x3c", "audio/amr"],
  ["ID3\x04\0", "audio/mpeg"],
  ["%PDF-1.7\n", "application/pdf"],
  ["BEGIN:VCARD\r\nVERSION:3.0", "text/vcard"],
  ["", undefined],
  ["<html><body>Not found", undefined],
  [" %PDF-1.7", undefined],
  ["<svg xmlns=", undefined],
  ["RIFF\x24\0\0\0WAVEfmt ", undefined],
  ["PK\x03\x04", undefined],
  ["\0\0\0\x18ftypqt  ", undefined],
  ["BEGIN:VCALENDAR\r\n", undefined],
];

Deno.test("the type of a file is determined by its content", () => {
  for (const [head, type] of FILES) assert.equal(fileType(Buffer.from(head, "latin1")), type, head);
});
