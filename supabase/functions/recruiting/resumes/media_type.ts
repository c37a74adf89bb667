import { Buffer } from "node:buffer";
import { oleType } from "./ole.ts";
import { decodeText, isNoise, markupType, textEncoding } from "./text.ts";
import { zipType } from "./zip.ts";

/**
 * The number of bytes at the beginning of a file that determine its type. A PDF may begin that late (ISO 32000-1, note
 * 13).
 */
const HEAD_BYTES = 1024;

/** Signatures of files that are not resumes: texts by their offsets, with one character for each byte. */
const SIGNATURES: [parts: Record<number, string>, mediaType: string][] = [
  [{ 0: "\x89PNG\r\n\x1a\n" }, "image/png"],
  [{ 0: "\xff\xd8\xff" }, "image/jpeg"],
  [{ 0: "GIF87a" }, "image/gif"],
  [{ 0: "GIF89a" }, "image/gif"],
  [{ 0: "RIFF", 8: "WEBP" }, "image/webp"],
  [{ 0: "BM", 6: "\0\0\0\0" }, "image/bmp"],
  [{ 0: "II*\0" }, "image/tiff"],
  [{ 0: "MM\0*" }, "image/tiff"],
  [{ 4: "ftyphei" }, "image/heic"],
  [{ 4: "ftypmif1" }, "image/heic"],
  [{ 4: "ftypavif" }, "image/avif"],
  [{ 4: "ftypqt  " }, "video/quicktime"],
  [{ 4: "ftyp" }, "video/mp4"],
  [{ 0: "\x1aE\xdf\xa3" }, "video/webm"],
  [{ 0: "RIFF", 8: "WAVE" }, "audio/wav"],
  [{ 0: "ID3", 4: "\0" }, "audio/mpeg"],
  [{ 0: "\xff\xfb" }, "audio/mpeg"],
  [{ 0: "OggS\0" }, "application/ogg"],
  [{ 0: "\x1f\x8b" }, "application/gzip"],
  [{ 0: "7z\xbc\xaf\x27\x1c" }, "application/x-7z-compressed"],
  [{ 0: "Rar!\x1a\x07" }, "application/vnd.rar"],
  [{ 0: "MZ", 7: "\0" }, "application/vnd.microsoft.portable-executable"],
  [{ 0: "\x7fELF" }, "application/x-executable"],
  [{ 0: "%!PS" }, "application/postscript"],
  [{ 0: "\xffWPC" }, "application/vnd.wordperfect"],
];

const PDF_IN_TEXT = /^\s*%PDF-|[\r\n]%PDF-\d/;

/**
 * Determines the media type of a file by its content alone, whatever its name and its sender's claims.
 *
 * @returns the type, such as `application/pdf`, `text/plain` or `image/png`; undefined if it is not recognized
 */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const beginning = bytes.subarray(0, HEAD_BYTES);
  const head = Buffer.from(beginning).toString("latin1");
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) return zipType(bytes);
  if (head.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return oleType(bytes);
  if (head.startsWith("{\\rtf")) return "application/rtf";
  const known = SIGNATURES.find(([parts]) =>
    Object.entries(parts).every(([offset, text]) => head.startsWith(text, Number(offset)))
  );
  if (known !== undefined) return known[1];

  const encoding = textEncoding(bytes);
  const text = encoding === undefined ? head : decodeText(beginning, encoding);
  const markup = markupType(text);
  if (markup !== undefined) return markup;
  // A text may mention PDF, so the signature must be at its start; in a binary file, anything may precede it.
  const isPdf = encoding === undefined ? head.includes("%PDF-") : PDF_IN_TEXT.test(text);
  if (isPdf) return "application/pdf";
  return encoding === undefined || isNoise(text) ? undefined : "text/plain";
}
