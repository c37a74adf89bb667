import { isUtf8 } from "node:buffer";

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

/**
 * Checks whether a file is text: it can be decoded, and has no control characters except tabs, line and page breaks.
 *
 * @returns its encoding; undefined if it is not text
 */
export function textEncoding(bytes: Uint8Array): TextEncoding | undefined {
  const utf16 = utf16Encoding(bytes);
  if (utf16 !== undefined) return isUtf16(bytes, utf16) ? utf16 : undefined;
  const isInUtf8 = isUtf8(bytes);
  if (hasBytes(bytes, isInUtf8 ? CONTROLS : NOT_IN_WINDOWS_1252)) return undefined;
  if (isInUtf8) return "utf-8";
  return countBeyondAscii(bytes) <= bytes.length * MOST_BEYOND_ASCII ? "windows-1252" : undefined;
}

/** Decodes the beginning of a text. A truncated character at its end becomes U+FFFD. */
export function decodeText(bytes: Uint8Array, encoding: TextEncoding): string {
  return new TextDecoder(encoding).decode(bytes);
}

/** Returns the media type if the beginning of a text shows that it is a web page, XML or JSON. */
export function markupType(text: string): string | undefined {
  const start = text.trimStart();
  if (/^(?:<\?xml[^>]*>\s*)?(?:<![^>]*>\s*)*<svg[\s>]/i.test(start)) return "image/svg+xml";
  if (HTML_START.test(start)) return "text/html";
  if (start.startsWith("<?xml")) return /<html[\s>]/i.test(start) ? "text/html" : "application/xml";
  if (XML_START.test(start) && /<\/|\/>/.test(start)) return "application/xml";
  return JSON_START.test(start) ? "application/json" : undefined;
}

/** Whether the beginning of a text shows that it is unreadable: it is blank, or encoded data such as base64. */
export function isNoise(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return true;
  // Chinese and Japanese have no spaces between words.
  const isAscii = /^[\s!-~]*$/.test(text);
  return isAscii && text.length > LONGEST_ADDRESS && text.length / words.length > LONGEST_WORD;
}

/** The average word of a text is never this long. A line of base64 has 64 or 76 characters. */
const LONGEST_WORD = 40;

/** A URL of up to this length may be the entire text. */
const LONGEST_ADDRESS = 100;

/** The tags that begin a page or a part of one. A resume may begin with "<Jane Doe>". */
const HTML_START = new RegExp(
  "^<(?:!doctype\\s+html|!--|/?(?:html|head|body|title|style|script|iframe|meta|link|base|object|form|img|h[1-6]|header|main|" +
    "nav|section|article|div|p|pre|br|hr|span|a|b|i|u|strong|em|font|center|table|tbody|tr|td|ul|ol|li)[\\s/>])",
  "i",
);

const XML_START = /^<[a-z_][\w:.-]*(?:\s[^<>]*)?>/i;

const JSON_START = /^(?:\{\s*"(?:[^"\\]|\\.)*"\s*:|\[\s*[[{"]|\{\s*\}\s*$|\[\s*\]\s*$)/;

/** UTF-16 has a byte order mark, or begins with an ASCII character, one byte of which is zero. */
function utf16Encoding([first, second]: Uint8Array): TextEncoding | undefined {
  if (second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? "utf-16be" : undefined;
}

function isUtf16(bytes: Uint8Array, encoding: TextEncoding): boolean {
  if (bytes.length % 2 !== 0) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let awaitsLowSurrogate = false;
  for (let at = 0; at < bytes.length; at += 2) {
    const unit = view.getUint16(at, encoding === "utf-16le");
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== awaitsLowSurrogate || isControl(unit) || unit >= 0xfffe) return false;
    awaitsLowSurrogate = unit >= 0xd800 && unit <= 0xdbff;
  }
  return !awaitsLowSurrogate;
}

function isControl(code: number): boolean {
  return (code < 0x20 && (code < 0x09 || code > 0x0d)) || code === 0x7f;
}

/** A lookup table of bytes: 1 for matching bytes, otherwise 0. A file of 10 MiB needs ten million lookups. */
function tableOf(isMeant: (byte: number) => boolean): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => isMeant(byte) ? 1 : 0);
}

const CONTROLS = tableOf(isControl);

/** Control characters, and the bytes that Windows-1252 leaves undefined. */
const NOT_IN_WINDOWS_1252 = tableOf((byte) => isControl(byte) || [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte));

/** In the languages of Windows-1252, far fewer letters are beyond ASCII; in random bytes, half are. */
const MOST_BEYOND_ASCII = 0.3;

function hasBytes(bytes: Uint8Array, table: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (table[bytes[at]!]) return true;
  return false;
}

function countBeyondAscii(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! > 0x7f) count++;
  return count;
}
