import { Buffer } from "node:buffer";
import { KIB } from "../../_shared/units.ts";

/** Decodes a hexadecimal text in either case; returns null if it is invalid. */
export function decodeHex(text: string): Uint8Array | null {
  return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, "hex") : null;
}

/** Decodes a base64 text of either alphabet, with or without `=` at its end; returns null if it is invalid. */
export function decodeBase64(text: string): Uint8Array | null {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : null;
}

/**
 * Returns the value of a header, decoded as UTF-8; empty if the header is missing or its name is invalid. HTTP exposes
 * a header's bytes as characters of Latin-1.
 */
export function headerText(headers: Headers, name: string | undefined): string {
  if (name === undefined || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "";
  return Buffer.from(headers.get(name) ?? "", "latin1").toString("utf8");
}

/** A longer body is not escaped, because it may come from a stranger. A body of this length takes 5 ms. */
const MAX_ESCAPED_BYTES = 256 * KIB;
const HEX_DIGITS = new TextEncoder().encode("0123456789abcdef");

/** Returns a UTF-8 text with each non-ASCII character as `\u` and four lower-case digits; null if it is pure ASCII. */
export function escapeUnicode(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length > MAX_ESCAPED_BYTES || isAscii(bytes)) return null;
  const text = Buffer.from(bytes).toString("utf8");
  const escaped = new Uint8Array(text.length * "\\u0000".length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) {
      escaped[length++] = unit;
      continue;
    }
    escaped[length++] = 0x5c; // a backslash
    escaped[length++] = 0x75; // u
    for (let shift = 12; shift >= 0; shift -= 4) {
      escaped[length++] = HEX_DIGITS[(unit >> shift) & 0xf]!;
    }
  }
  return escaped.subarray(0, length);
}

function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! >= 0x80) return false;
  return true;
}
