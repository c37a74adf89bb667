import { Buffer } from "node:buffer";

/** The bytes of a hexadecimal text, in either case; null where it is none. */
export function decodeHex(text: string): Uint8Array | null {
  return /^(?:[0-9a-f]{2})*$/i.test(text) ? Buffer.from(text, "hex") : null;
}

/** The bytes of a base64 text, of either alphabet and with or without `=` at its end; null where it is none. */
export function decodeBase64(text: string): Uint8Array | null {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : null;
}

/**
 * The value of a header, read as UTF-8; empty where the header is missing or its name is none. HTTP gives a header's bytes
 * as characters of Latin-1.
 */
export function headerText(headers: Headers, name: string | undefined): string {
  if (name === undefined || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return "";
  return Buffer.from(headers.get(name) ?? "", "latin1").toString("utf8");
}
