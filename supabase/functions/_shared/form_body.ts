import { Buffer } from "node:buffer";
import { ApiError } from "./errors.ts";
import { BODY_WITHIN_MS, type IncomingBody, inTime, tooLarge } from "./incoming_body.ts";
import { cleanText, type Json, type JsonObject } from "./json.ts";
import { isFile, type JsonBounds, requireTextWithin, tooMany } from "./json_scan.ts";
import { mediaType, URL_ENCODED } from "./media_type.ts";
import { KIB } from "./units.ts";

/**
 * Reads an `application/x-www-form-urlencoded` body of at most `limit` bytes, exactly as sent.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE, REQUEST_TIMEOUT or BAD_REQUEST.
 */
export async function readForm(incoming: IncomingBody, limit: number): Promise<URLSearchParams> {
  checkFormHeaders(incoming, limit);
  const bytes = await inTime(
    BODY_WITHIN_MS,
    (deadline) => incoming.read(limit, undefined, deadline),
  );
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/**
 * Refuses what can be refused before a form is read.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE or PAYLOAD_TOO_LARGE.
 */
export function checkFormHeaders({ headers, announced }: IncomingBody, limit: number): void {
  if (mediaType(headers) !== URL_ENCODED) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", `send the body as ${URL_ENCODED}`);
  }
  if (announced > limit) throw tooLarge(limit);
}

/** A field of a form: its name, and its text or its uploaded file with its name. */
type Field = readonly [name: string, value: string | File, filename?: string];

/** A form in Latin-1, which is read as its superset Windows-1252, as browsers do. */
const LATIN1 = /;\s*charset="?(?:iso-8859-1|latin-?1|windows-1252)/i;

/** What stands before the content of a part, in bytes. */
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
export async function parseForm(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  bounds: JsonBounds,
): Promise<JsonObject> {
  const fields = isMultipart(contentType)
    ? await readMultipart(bytes, contentType, bounds)
    : readUrlEncoded(bytes, contentType, bounds);
  // Left to the garbage collector, they would stay for as long as there is memory.
  bytes.buffer.transfer(0);
  requireWithin(bounds, fields);

  const values = new Map<string, Json[]>();
  for (const [name, value, filename] of fields) {
    const key = cleanText(name);
    const json = typeof value === "string" ? cleanText(value) : await describeFile(value, filename);
    const others = values.get(key);
    if (others === undefined) values.set(key, [json]);
    else others.push(json);
  }
  // Unlike an assignment, this makes `__proto__` a field like any other.
  return Object.fromEntries(
    values.entries().map(([name, list]) => [name, list.length === 1 ? list[0]! : list]),
  );
}

function isMultipart(contentType: string): boolean {
  return /^\s*multipart\//i.test(contentType);
}

function readUrlEncoded(bytes: Uint8Array, contentType: string, bounds: JsonBounds): Field[] {
  let count = 1;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = buffer.indexOf("&"); at >= 0; at = buffer.indexOf("&", at + 1)) {
    if (++count > bounds.keys) throw tooMany(bounds.keys, "fields");
  }
  const fields = [...new URLSearchParams(new TextDecoder().decode(bytes))];
  // Some senders say Latin-1, and send UTF-8 all the same.
  const isUtf8 = !fields.flat().some((text) => text.includes("\ufffd"));
  if (isUtf8 || !LATIN1.test(contentType)) return fields;
  const decoder = new TextDecoder("windows-1252");
  const text = decoder.decode(bytes).replace(
    /%([89a-f][0-9a-f])/gi,
    (_, hex) => decoder.decode(Uint8Array.of(parseInt(hex, 16))),
  );
  return [...new URLSearchParams(text)];
}

async function readMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  bounds: JsonBounds,
): Promise<Field[]> {
  const parts = readNames(bytes, boundaryOf(contentType), bounds);
  let fields: Field[];
  try {
    const headers = { "content-type": contentType };
    fields = [...await new Response(bytes, { headers }).formData()];
  } catch (cause) {
    throw malformed(cause);
  }
  // The platform's parser leaves out a part that it cannot read.
  if (fields.length !== parts.length) throw malformed();
  return await Promise.all(fields.map((field, index) => rename(field, parts[index]!)));
}

/** The names in the head of a part. */
interface PartNames {
  name?: string;
  filename?: string;
}

/**
 * The names of the parts, which the platform's parser cuts at `;` and `=`. Looks through the parts before they are
 * parsed, because each of them costs far more than its bytes.
 */
function readNames(
  bytes: Uint8Array<ArrayBuffer>,
  boundary: string,
  bounds: JsonBounds,
): PartNames[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const delimiter = Buffer.from(`--${boundary}`, "latin1");
  const isAtLineStart = (at: number) => at === 0 || buffer[at - 1] === 0x0a;
  const parts: PartNames[] = [];
  for (let at = buffer.indexOf(delimiter); at >= 0; at = buffer.indexOf(delimiter, at)) {
    const after = at + delimiter.length;
    if (isAtLineStart(at)) {
      const next = buffer.toString("latin1", after, after + 2);
      if (next === "--") return parts;
      if (parts.length === bounds.keys) throw tooMany(bounds.keys, "fields");
      const head = buffer.subarray(after, after + PART_HEAD_BYTES);
      const end = head.indexOf("\r\n\r\n");
      if (next !== "\r\n" || end < 0) throw malformed();
      parts.push(namesIn(head.toString("utf8", 0, end)));
    }
    at = after;
  }
  // Without its end, the form was cut off.
  throw malformed();
}

const DISPOSITION = /^content-disposition:[ \t]*form-data(.*)$/is;
/** A parameter of that header. Whoever writes a form escapes a quotation mark and the end of a line. */
const PARAMETER = /;\s*([^\s=;"]+)=(?:"([^"]*)"|([^\s;"]+))/g;
const ESCAPED = /%(?:22|0[ad])/gi;

function namesIn(head: string): PartNames {
  const [parameters] = head.split("\r\n").map((line) => DISPOSITION.exec(line)?.[1])
    .filter((found) => found !== undefined);
  return Object.fromEntries(
    (parameters ?? "").matchAll(PARAMETER).map(([, name, quoted, plain = ""]) => [
      name!.toLowerCase(),
      (quoted ?? plain).replace(ESCAPED, decodeURIComponent),
    ]),
  );
}

/** A field with the names that its part has. */
async function rename([name, value]: Field, part: PartNames): Promise<Field> {
  if (typeof value === "string") return [part.name ?? name, value];
  // The platform's parser took a name for the name of a file.
  if (part.filename === undefined) return [part.name ?? name, await value.text()];
  return [part.name ?? name, value, part.filename];
}

function boundaryOf(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^;]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain?.trim() ?? "";
  if (!/^[\x20-\x7e]{1,70}$/.test(boundary)) throw malformed();
  return boundary;
}

function malformed(cause?: unknown): ApiError {
  const message = "the body is not a valid form: it is malformed, or was cut off";
  return new ApiError("BAD_REQUEST", message, { cause });
}

function requireWithin(bounds: JsonBounds, fields: Field[]): void {
  let text = 0;
  for (const [name, value] of fields) {
    const nameBytes = Buffer.byteLength(name);
    if (nameBytes > bounds.keyBytes) throw tooMany(bounds.keyBytes, "bytes in one key");
    text += nameBytes;
    if (typeof value !== "string") continue;
    const valueBytes = Buffer.from(value);
    if (!isFile(valueBytes, 0, valueBytes.length)) text += valueBytes.length;
  }
  requireTextWithin(bounds, text);
}

/** An uploaded file, under names that the parsers read. */
async function describeFile(file: File, filename = file.name): Promise<JsonObject> {
  const content = await file.arrayBuffer();
  const data = Buffer.from(content).toString("base64");
  content.transfer(0);
  return { filename: cleanText(filename), content_type: cleanText(file.type), data };
}
