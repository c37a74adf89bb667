import { Buffer } from "node:buffer";
import { MIB } from "../../_shared/units.ts";
import { failure, type Result, success } from "../../_shared/result.ts";
import { mediaTypeOf } from "./media_type.ts";

/** The maximum size of a stored resume, in decoded bytes. */
export const MAX_RESUME_BYTES = 10 * MIB;

/** The stored media types, each with its file extension. The bucket `resumes` allows the same types. */
export const ENDINGS: ReadonlyMap<string, string> = new Map([
  ["application/pdf", "pdf"],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "docx"],
  ["application/msword", "doc"],
  ["application/rtf", "rtf"],
  ["application/vnd.oasis.opendocument.text", "odt"],
  ["text/plain", "txt"],
]);

/** A resume that can be stored. */
export interface ResumeFile {
  bytes: Uint8Array<ArrayBuffer>;
  mediaType: string;
  /** Without a dot. */
  ending: string;
}

/**
 * Decodes a resume and determines its type by its content.
 *
 * @param base64 standard or URL-safe, with or without padding
 * @returns the file; or why it is not stored, for `vendor_metadata.resume_skipped`: `not_base64`, `too_large`, the
 * actual media type, or `unknown`
 */
export function readResumeFile(base64: string): Result<ResumeFile> {
  const digits = withoutPadding(base64.replace(/\s+/g, ""));
  if (!BASE64_DIGITS.test(digits) || digits.length % 4 === 1) return failure("not_base64");
  if (Math.floor(digits.length * 3 / 4) > MAX_RESUME_BYTES) return failure("too_large");
  const { buffer, byteOffset, byteLength } = Buffer.from(digits, "base64");
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  const mediaType = mediaTypeOf(bytes) ?? "unknown";
  const ending = ENDINGS.get(mediaType);
  return ending === undefined ? failure(mediaType) : success({ bytes, mediaType, ending });
}

const BASE64_DIGITS = /^[A-Za-z0-9+/_-]+$/;

// A loop, because a regular expression for a long run of "=" at the end takes quadratic time.
function withoutPadding(base64: string): string {
  let end = base64.length;
  while (end > 0 && base64[end - 1] === "=") end--;
  return base64.slice(0, end);
}
