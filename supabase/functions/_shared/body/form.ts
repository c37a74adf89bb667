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
 * Reads an `application/x-www-form-urlencoded` body of at most `limit` bytes, as text and exactly as sent.
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

/** The sender of a body that proves its own sender, and the time until which it is read. */
export interface UnauthenticatedOptions {
  /**
   * Finds the sender by what the request says besides its body; undefined where that proves nothing. Asked for a body
   * that is not small: it arrives among those of its sender then, and not among those of unknown senders.
   */
  recognize?: () => Promise<string | undefined>;
  /** Milliseconds that the body may take to arrive. */
  within?: number;
}

/**
 * Reads a body of at most `limit` bytes whose sender is not known yet, as a webhook's: JSON, or a form, which becomes
 * an object (see parseForm()). The type of the body is looked at once the sender is known.
 *
 * @param identify is given the bytes, and throws UNAUTHORIZED for an unknown sender. Where the body could not be read,
 * it is given null, and the error of the body comes first.
 * @throws ApiError PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST for a body that could not be read; else what
 * `identify` throws; else UNSUPPORTED_MEDIA_TYPE, or what a known sender's body is refused for.
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
    // An uploaded file takes three times its bytes.
    await incoming.startWork(bytes.length > LARGE.bytes, type === MULTIPART, deadline);
    const contentType = incoming.headers.get("content-type")!;
    return incoming.value = parseForm(bytes, contentType, JSON_BOUNDS);
  }
  if (!isJson(type) && type !== URL_ENCODED) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body as JSON or as a form");
  }
  return await parseJsonBody(incoming, bytes, JSON_BOUNDS, deadline);
}

/** Whether JSON is sent as a form, as curl does unless told otherwise. A form has these brackets percent-encoded. */
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

/** A form in Latin-1, which is read as its superset Windows-1252, as browsers do. */
const LATIN1 = /;\s*charset="?(?:iso-8859-1|latin-?1|windows-1252)/i;

/** The bytes before the content of a part, at most. */
const PART_HEAD_BYTES = 16 * KIB;

/**
 * Parses a form into a JSON object. A name that is repeated gets a list. An uploaded file becomes
 * `{filename, content_type, data}` with its content in base64. Texts become storable as in parseJson(). The bytes are
 * gone afterwards.
 *
 * @param contentType the header, with the boundary of a `multipart/form-data`
 * @param bounds `keys` is how many fields there may be, of any name
 * @throws ApiError BAD_REQUEST for a form that is cut off or malformed, PAYLOAD_TOO_LARGE beyond a bound.
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
  // Left to the garbage collector, they would stay for as long as there is memory.
  bytes.buffer.transfer(0);
  // Unlike an assignment, this makes `__proto__` a field like any other.
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
  // Before texts are made of them, which take more memory and time.
  requireWithin(bounds, pairs);
  const read = (encoding: string) => {
    const decoder = new TextDecoder(encoding, { ignoreBOM: true });
    return pairs.map(([name, value]) => ({ name: decoder.decode(name), value: decoder.decode(value) }));
  };
  const fields = read("utf-8");
  // Some senders say Latin-1, and send UTF-8 anyway.
  const isUtf8 = !fields.some(({ name, value }) => name.includes("\ufffd") || value.includes("\ufffd"));
  return isUtf8 || !LATIN1.test(contentType) ? fields : read("windows-1252");
}

const [PERCENT, AMPERSAND, PLUS, EQUALS] = Buffer.from("%&+=") as unknown as [number, number, number, number];

/**
 * The names and values of a form, as URLSearchParams reads them, in bytes. They take the place of the form's own bytes,
 * of which they are never more.
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

/** The value of a hexadecimal digit; NaN for any other byte. */
function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}

/**
 * Reads a `multipart/form-data` (RFC 7578). Not by the platform's formData(): it cuts names at `;` and `=`, leaves
 * out the parts that it cannot read, and copies each file several times.
 */
function readMultipart(buffer: Buffer, boundary: string, bounds: JsonBounds): Field[] {
  const delimiter = Buffer.from(`\r\n--${boundary}`, "latin1");
  const fields: Field[] = [];
  // The first may stand at the very beginning, without the end of a line before it.
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
  // Without its end, the form was cut off.
  throw malformed();
}

const TYPE = /^content-type:(.*)$/is;
const DISPOSITION = /^content-disposition:\s*form-data(.*)$/is;
/** A parameter of that header, in which a quotation mark and the end of a line are escaped. */
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

/** Requires that names and values keep the bounds. An uploaded file has no bytes of text. */
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

/** An uploaded file, under names that the parsers read. */
function describeFile({ filename, content_type, content }: UploadedFile): JsonObject {
  const data = content.toString("base64");
  return { filename: cleanText(filename), content_type: cleanText(content_type), data };
}
