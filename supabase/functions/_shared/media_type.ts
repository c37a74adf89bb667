import { ApiError } from "./errors.ts";

/** The media types of forms. */
export const URL_ENCODED = "application/x-www-form-urlencoded";
export const MULTIPART = "multipart/form-data";

const JSON_TYPES = /^(?:|application\/json|[^;]+\+json|text\/plain)$/;

/**
 * The media type of a body, in lower case and without its parameters; empty where it has none.
 *
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE for a compressed body.
 */
export function mediaType(headers: Headers): string {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "send the body without Content-Encoding");
  }
  const type = headers.get("content-type") ?? "";
  return (type.split(";", 1)[0] as string).trim().toLowerCase();
}

/** Whether a body of this type is read as JSON. */
export function isJson(mediaType: string): boolean {
  return JSON_TYPES.test(mediaType);
}
