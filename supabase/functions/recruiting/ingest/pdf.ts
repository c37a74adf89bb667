import { Buffer } from "node:buffer";
import { MIB } from "../../_shared/body.ts";
import { ApiError } from "../../_shared/errors.ts";
import { failure, type Result, success } from "../../_shared/result.ts";

/** The largest resume that is stored, in bytes once decoded. */
export const MAX_PDF_BYTES = 10 * MIB;

/**
 * Decodes the base64 of a PDF.
 *
 * @param base64 standard or URL-safe, with padding or without
 * @returns its bytes; or BAD_REQUEST where it is not base64 or not a PDF, PAYLOAD_TOO_LARGE above {@link MAX_PDF_BYTES}
 */
export function decodePdf(base64: string): Result<Uint8Array<ArrayBuffer>, ApiError> {
  const digits = withoutPadding(base64.replace(/\s+/g, ""));
  if (!BASE64_DIGITS.test(digits) || digits.length % 4 === 1) {
    return failure(new ApiError("BAD_REQUEST", "resume is not base64"));
  }
  if (Math.floor(digits.length * 3 / 4) > MAX_PDF_BYTES) {
    return failure(new ApiError("PAYLOAD_TOO_LARGE", "resume is larger than 10 MiB"));
  }
  const { buffer, byteOffset, byteLength } = Buffer.from(digits, "base64");
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  if (!startsLikePdf(bytes)) return failure(new ApiError("BAD_REQUEST", "resume is not a PDF"));
  return success(bytes);
}

const BASE64_DIGITS = /^[A-Za-z0-9+/_-]+$/;

// A loop, because a regular expression for the end of a long run of "=" takes quadratic time.
function withoutPadding(base64: string): string {
  let end = base64.length;
  while (end > 0 && base64[end - 1] === "=") end--;
  return base64.slice(0, end);
}

// Readers accept the header anywhere in the first 1,024 bytes (ISO 32000-1, implementation note 13).
function startsLikePdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 1024)).includes(
    "%PDF-",
  );
}
