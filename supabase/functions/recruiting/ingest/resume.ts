import { Buffer } from "node:buffer";
import { MIB } from "../../_shared/body.ts";
import { ApiError } from "../../_shared/errors.ts";
import type { Json } from "../../_shared/json.ts";
import { toText } from "../parsers/fields.ts";

/** Decoded bytes of a resume at most. */
export const MAX_RESUME_BYTES = 10 * MIB;

/** What a vendor may say of a resume; `content_type` may also be a file ending. Any value may stand anywhere. */
export interface ResumeFields {
  /** Base64 (bare or a `data:` URL), or a web address. */
  data?: Json;
  content_type?: Json;
  file_name?: Json;
  url?: Json;
}

/** A resume in a parsed lead: not yet decoded, perhaps not a PDF. */
export interface Resume {
  /** Base64: standard or URL-safe, padded or not. */
  base64: string;
  /** The type the vendor gives it: a media type or a file ending; `pdf` for PDF, undefined where it says nothing. */
  claims?: string;
}

/** Sorts a vendor's resume fields into a file to store, or an address to keep (which is never fetched). */
export function readResume(fields: ResumeFields): { resume?: Resume; resume_url?: string } {
  const data = typeof fields.data === "string" ? fields.data.trim() : notText(fields.data);
  if (WEB_ADDRESS.test(data)) return { resume_url: data };
  const { type, base64 } = splitDataUrl(data);
  if (base64 === "") return { resume_url: toText(fields.url) };
  const claims = claimedType(type) ?? claimedType(fields.content_type) ??
    fileEnding(toText(fields.file_name));
  return { resume: { base64, claims }, resume_url: toText(fields.url) };
}

/**
 * The bytes of a resume that is, or may be, a PDF.
 *
 * @throws ApiError BAD_REQUEST when it is not base64 of a PDF, PAYLOAD_TOO_LARGE above {@link MAX_RESUME_BYTES}.
 */
export function decodePdf(resume: Resume): Uint8Array<ArrayBuffer> {
  const base64 = withoutPadding(resume.base64.replace(/\s+/g, ""));
  if (!BASE64.test(base64) || base64.length % 4 === 1) {
    throw new ApiError("BAD_REQUEST", "resume is not base64");
  }
  if (Math.floor(base64.length * 3 / 4) > MAX_RESUME_BYTES) {
    throw new ApiError("PAYLOAD_TOO_LARGE", "resume is larger than 10 MiB");
  }
  const bytes = new Uint8Array(Buffer.from(base64, "base64"));
  if (!startsLikePdf(bytes)) throw new ApiError("BAD_REQUEST", "resume is not a PDF");
  return bytes;
}

const WEB_ADDRESS = /^https?:\/\//i;
const LONGEST_DATA_PREFIX = 300;
const BASE64 = /^[A-Za-z0-9+/_-]+$/;
const LONGEST_TYPE = 100;
const SAYS_NOTHING =
  /^(?:application|binary)\/(?:octet-stream|x-download|force-download|download|base64)$/;

// Looks for the comma in the beginning alone, since a regular expression takes quadratic time where there is none.
function splitDataUrl(data: string): { type?: string; base64: string } {
  const comma = data.slice(0, LONGEST_DATA_PREFIX).indexOf(",");
  if (comma < 0 || !/^data:/i.test(data)) return { base64: data };
  return { type: data.slice("data:".length, comma), base64: data.slice(comma + 1) };
}

// A loop, since a regular expression for the end of a long run of "=" takes quadratic time on hostile input.
function withoutPadding(base64: string): string {
  let end = base64.length;
  while (end > 0 && base64[end - 1] === "=") end--;
  return base64.slice(0, end);
}

// A resume of another type than text cannot be base64; it goes on as something decodePdf refuses.
function notText(data: Json | undefined): string {
  const empty = data === undefined || data === null || data === false ||
    (typeof data === "object" && Object.keys(data).length === 0);
  return empty ? "" : "?";
}

function claimedType(contentType: Json | undefined): string | undefined {
  if (typeof contentType !== "string") return undefined;
  // Cut short, a character of two units may lose one, and half of it could not be stored.
  const type = contentType.slice(0, LONGEST_TYPE).toWellFormed().split(";", 1)[0]?.trim()
    .toLowerCase()
    .replace(/^\./, "");
  if (!type || SAYS_NOTHING.test(type)) return undefined;
  return /^(?:application\/(?:x-)?)?pdf$/.test(type) ? "pdf" : type;
}

function fileEnding(name: string | undefined): string | undefined {
  return /\.([A-Za-z0-9]{1,10})$/.exec(name ?? "")?.[1]?.toLowerCase();
}

// Readers accept the header anywhere in the first 1,024 bytes (ISO 32000-1, implementation note 13).
function startsLikePdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).includes(
    "%PDF-",
  );
}
