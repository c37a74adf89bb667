import { Buffer } from "node:buffer";
import { ApiError } from "../errors.ts";
import { cleanText, type Json, JSON_BOUNDS, type JsonObject } from "../json.ts";
import { isFile, type JsonBounds, requireTextWithin, tooMany } from "../json_scan.ts";
import { KIB } from "../units.ts";
import { isJson, parseJsonBody } from "./json.ts";
import { BODY_WITHIN_MS, LARGE, tooLarge } from "./limits.ts";
import type { IncomingBody } from "./read.ts";

/** The media types of forms. */
const URL_ENCODED = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data";

/**
 * Reads an `application/x-www-form-urlencoded` body of at most `limit` bytes and returns the text exactly as sent.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST.
 */
export async function readFormText(incoming: IncomingBody, limit: number): Promise<string> {
  if (incoming.mediaType !== URL_ENCODED) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", `send the body as ${URL_ENCODED}`);
  }
  if (incoming.announced > limit) throw tooLarge(limit);
  const bytes = await incoming.inTime(BODY_WITHIN_MS, (end) => incoming.read(limit, undefined, end));
  incoming.release();
  return new TextDecoder().decode(bytes);
}

/** The options for reading a body before its sender is authenticated. */
export interface UnauthenticatedOptions {
  /**
   * Identifies the sender by the request's headers and URL; resolves to undefined if they prove nothing. It is called
   * only for bodies that are not small: such a body then counts toward its sender's share of memory, not the share of
   * unknown senders.
   */
  recognize?: () => Promise<string | undefined>;
  /** The maximum number of milliseconds for the body to arrive. */
  within?: number;
}

/**
 * Reads a body of at most `limit` bytes before its sender is authenticated, such as a webhook's. The body is JSON, or a
 * form that becomes an object (see parseForm()). Its media type is checked after the sender is known.
 *
 * @param identify receives the bytes, and throws UNAUTHORIZED for an unknown sender. If the body could not be read, it
 * receives null, and the error of the body takes precedence.
 * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST if the body could not be read; otherwise the error
 * of `identify`; otherwise UNSUPPORTED_MEDIA_TYPE or another error of the body.
 */
export async function readUnauthenticatedBody<Sender>(
  incoming: IncomingBody,
  limit: number,
  identify: (bytes: Uint8Array | null) => Promise<Sender>,
  { recognize, within = BODY_WITHIN_MS }: UnauthenticatedOptions = {},
): Promise<{ sender: Sender; body: Json }> {
  return await incoming.inTime(within, async (end) => {
    const isLong = !incoming.isSmall && incoming.announced <= limit;
    const sender = isLong ? await recognize?.() : undefined;
    const bytes = await incoming.read(limit, sender, end).catch(async (error) => {
      await identify(null).catch(() => {});
      throw error;
    });
    const identified = await identify(bytes).catch((error) => {
      bytes.buffer.transfer(0);
      throw error;
    });
    return { sender: identified, body: await parse(incoming, bytes, end.signal) };
  });
}

async function parse(
  incoming: IncomingBody,
  bytes: Uint8Array<ArrayBuffer>,
  deadline: AbortSignal,
): Promise<Json> {
  const type = incoming.mediaType;
  const isForm = type === MULTIPART || type === URL_ENCODED && !isMislabelledJson(bytes);
  if (isForm) {
    // An uploaded file takes three times its size in memory.
    await incoming.startWork(bytes.length > LARGE.bytes, type === MULTIPART, deadline);
    const contentType = incoming.headers.get("content-type")!;
    return incoming.value = parseForm(bytes, contentType, JSON_BOUNDS);
  }
  if (!isJson(type) && type !== URL_ENCODED) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as JSON or as a form");
  }
  return await parseJsonBody(incoming, bytes, JSON_BOUNDS, deadline);
}

/**
 * Returns whether a body labelled as a form is JSON, as curl sends it by default. In a real form, these brackets are
 * percent-encoded.
 */
function isMislabelledJson(bytes: Uint8Array): boolean {
  return /^\s*[[{]/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
}

/** A field of a form. */
interface Field {
  name: string;
  value: string | UploadedFile;
}

interface UploadedFile {
  filename: string;
  content_type: string;
  content: Buffer;
}

/** Forms in Latin-1 are decoded as its superset Windows-1252, as browsers do. */
const LATIN1 = /;\s*charset="?(?:iso-8859-1|latin-?1|windows-1252)/i;

/** The maximum number of bytes before the content of a part. */
const PART_HEAD_BYTES = 16 * KIB;

/**
 * Parses a form into a JSON object. A repeated name becomes a list. An uploaded file becomes `{filename, content_type,
 * data}` with its content in base64. Texts are made storable as in parseJson(). The buffer is detached afterwards.
 *
 * @param contentType the header, which contains the boundary of a `multipart/form-data`
 * @param bounds `keys` limits the number of fields, repeated names included
 * @throws ApiError BAD_REQUEST if the form is truncated or malformed, PAYLOAD_TOO_LARGE if it exceeds a bound.
 */
export function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  bounds: JsonBounds,
): JsonObject {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const isMultipart = /^\s*multipart\//i.test(contentType);
  const fields = isMultipart
    ? readMultipart(buffer, boundaryOf(contentType), bounds)
    : readUrlEncoded(buffer, contentType, bounds);
  requireWithin(bounds, fields.map(({ name, value }) => [bytesOf(name), bytesOf(value)]));

  const values = new Map<string, Json[]>();
  for (const { name, value } of fields) {
    const key = cleanText(name);
    const json = typeof value === "string" ? cleanText(value) : describeFile(value);
    const others = values.get(key);
    if (others === undefined) values.set(key, [json]);
    else others.push(json);
  }
  // The garbage collector would not free the bytes until memory runs short.
  bytes.buffer.transfer(0);
  // Unlike an assignment, this makes `__proto__` an ordinary field.
  return Object.fromEntries(
    values.entries().map(([name, list]) => [name, list.length === 1 ? list[0]! : list]),
  );
}

function readUrlEncoded(buffer: Buffer, contentType: string, bounds: JsonBounds): Field[] {
  let count = 1;
  for (let at = buffer.indexOf("&"); at >= 0; at = buffer.indexOf("&", at + 1)) {
    if (++count > bounds.keys) throw tooMany(bounds.keys, "fields");
  }
  const pairs = decodePercents(buffer);
  // Checked before decoding, because the decoded texts take more memory and time.
  requireWithin(bounds, pairs);
  const read = (encoding: string) => {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true });
    return pairs.map(([name, value]) => ({ name: decoder.decode(name), value: decoder.decode(value) }));
  };
  const fields = read("utf-8");
  // Some senders declare Latin-1 but send UTF-8.
  const isUtf8 = !fields.some(({ name, value }) => name.includes("\ufffd") || value.includes("\ufffd"));
  return isUtf8 || !LATIN1.test(contentType) ? fields : read("windows-1252");
}

const [PERCENT, AMPERSAND, PLUS, EQUALS] = Buffer.from("%&+=") as unknown as [number, number, number, number];

/**
 * The names and values of a form as URLSearchParams reads them, in bytes. They are decoded in place, because the
 * decoded form is never longer.
 */
function decodePercents(bytes: Buffer): [name: Buffer, value: Buffer][] {
  const pairs: [Buffer, Buffer][] = [];
  let [start, nameEnd, end] = [0, -1, 0];
  for (let at = 0; at <= bytes.length; at++) {
    const byte = bytes[at];
    if (byte === undefined || byte === AMPERSAND) {
      const hasValue = nameEnd >= 0;
      if (!hasValue) nameEnd = end;
      if (hasValue || end > start) pairs.push([bytes.subarray(start, nameEnd), bytes.subarray(nameEnd, end)]);
      [start, nameEnd] = [end, -1];
    } else if (byte === EQUALS && nameEnd < 0) nameEnd = end;
    else if (byte === PLUS) bytes[end++] = 0x20;
    else {
      const value = byte === PERCENT ? hexDigit(bytes[at + 1]) * 16 + hexDigit(bytes[at + 2]) : NaN;
      if (!Number.isNaN(value)) at += 2;
      bytes[end++] = Number.isNaN(value) ? byte : value;
    }
  }
  return pairs;
}

/** Returns the value of a hexadecimal digit; NaN for any other byte. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}

/**
 * Reads a `multipart/form-data` body (RFC 7578). The platform's formData() is not suitable: it cuts names at `;` and
 * `=`, skips parts that it cannot read, and copies each file several times.
 */
function readMultipart(buffer: Buffer, boundary: string, bounds: JsonBounds): Field[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const fields: Field[] = [];
  // The first delimiter may be at the very beginning, without a preceding line end.
  const isAtBeginning = buffer.subarray(0, delimiter.length - 2).equals(delimiter.subarray(2));
  let at = isAtBeginning ? -2 : buffer.indexOf(delimiter);
  while (at !== -1) {
    const head = at + delimiter.length;
    const next = buffer.toString("latin1", head, head + 2);
    if (next === "--") return fields;
    if (fields.length === bounds.keys) throw tooMany(bounds.keys, "fields");
    const headBytes = buffer.subarray(head, head + PART_HEAD_BYTES).indexOf("\r\n\r\n");
    const content = head + headBytes + 4;
    at = buffer.indexOf(delimiter, content);
    if (next !== "\r\n" || headBytes === -1 || at === -1) break;
    fields.push(
      readPart(buffer.toString("utf8", head, head + headBytes), buffer.subarray(content, at)),
    );
  }
  // The closing delimiter is missing: the form was truncated.
  throw malformed();
}

const TYPE = /^content-type:(.*)$/is;
const DISPOSITION = /^content-disposition:\s*form-data(.*)$/is;
/** A parameter of that header. Quotation marks and line ends in it are escaped. */
const PARAMETER = /;\s*([^\s=;"]+)=(?:"([^"]*)"|([^\s;"]+))/g;
const ESCAPED = /%(?:22|0[ad])/gi;

function readPart(head: string, content: Buffer): Field {
  const header = (pattern: RegExp) =>
    head.split("\r\n").map((line) => pattern.exec(line)?.[1]).find((found) => found !== undefined);
  const parameters = new Map(
    (header(DISPOSITION) ?? "").matchAll(PARAMETER).map(([, name, quoted, plain = ""]) => [
      name!.toLowerCase(),
      (quoted ?? plain).replace(ESCAPED, decodeURIComponent),
    ]),
  );
  const [name, filename] = [parameters.get("name"), parameters.get("filename")];
  if (name === undefined) throw malformed();
  if (filename === undefined) return { name, value: content.toString("utf8") };
  const content_type = header(TYPE)?.trim().toLowerCase() || "application/octet-stream";
  return { name, value: { filename, content_type, content } };
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain?.trim() ?? "";
  if (!/^[\x20-\x7e]{1,70}$/.test(boundary)) throw malformed();
  return boundary;
}

function malformed(): ApiError {
  const message = "the body is not a valid form: it is malformed, or was cut off";
  return new ApiError("BAD_REQUEST", message);
}

/** Requires that names and values stay within the bounds. An uploaded file does not count as text. */
function requireWithin(bounds: JsonBounds, pairs: [name: Uint8Array, value: Uint8Array][]): void {
  let text = 0;
  for (const [name, value] of pairs) {
    if (name.length > bounds.keyBytes) throw tooMany(bounds.keyBytes, "bytes in one key");
    text += name.length;
    if (!isFile(value, 0, value.length)) text += value.length;
  }
  requireTextWithin(bounds, text);
}

function bytesOf(value: string | UploadedFile): Uint8Array {
  return Buffer.from(typeof value === "string" ? value : "");
}

/** Describes an uploaded file with the names that the parsers read. */
function describeFile({ filename, content_type, content }: UploadedFile): JsonObject {
  const data = content.toString("base64");
  return { filename: cleanText(filename), content_type: cleanText(content_type), data };
}
