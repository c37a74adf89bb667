import { isObject, type Json } from "../../_shared/json.ts";
import { isEmpty, toText } from "./fields.ts";

/** A vendor's fields about a resume. Any field may have any value. */
export interface ResumeFields {
  /** Base64 (bare or a `data:` URL), or a web URL; or a list of it and of `{type, bytes}` for each file after it. */
  data?: Json;
  /** A media type or a file extension. */
  content_type?: Json;
  file_name?: Json;
  url?: Json;
}

/** A resume in a parsed lead. It is not decoded yet; its content later determines its type. */
export interface Resume {
  /** Standard or URL-safe base64, with or without padding. Not validated yet. */
  base64: string;
  /**
   * The type of the file according to the vendor: `pdf` for PDF, otherwise a media type or a file extension. For
   * display only.
   */
  type?: string;
}

/** The result of reading a vendor's resume fields. */
export interface ReadResume {
  resume?: Resume;
  /** A URL that is never fetched. */
  resume_url?: string;
  /** The files that are not stored because another one came first. */
  resume_skipped?: string;
}

/** Splits a vendor's resume fields into a file to store and a URL to keep, and records values that are neither. */
export function readResume({ data, ...fields }: ResumeFields): ReadResume {
  const [first, ...others] = isListOfFiles(data) ? data : [data];
  return { ...readFirst({ data: first, ...fields }), resume_skipped: nameOthers(others) };
}

function readFirst(fields: ResumeFields): { resume: Resume | undefined; resume_url?: string } {
  const data = typeof fields.data === "string" ? fields.data.trim() : placeholderFor(fields.data);
  if (isWebUrl(data)) return { resume: undefined, resume_url: data };
  const resume_url = toText(fields.url);
  const { mediaType, base64 } = splitDataUrl(data);
  if (base64 === "") return { resume: undefined, resume_url };
  const type = readType(mediaType) ?? readType(fields.content_type) ??
    fileEnding(toText(fields.file_name));
  return { resume: { base64, type }, resume_url };
}

/** Whether a value is a list of files: a list of numbers is the bytes of one file. */
export function isListOfFiles(data: Json | undefined): data is Json[] {
  return Array.isArray(data) && data.length > 0 && typeof data[0] !== "number" &&
    !Array.isArray(data[0]);
}

function nameOthers(files: (Json | undefined)[]): string | undefined {
  const named = files.filter(isObject)
    .map(({ type, bytes }) => `another ${type} of ${bytes} bytes`);
  return named.length > 0 ? named.join("; ") : undefined;
}

/** Whether a text is the URL of a file on the web. */
export function isWebUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

const LONGEST_DATA_PREFIX = 300;
const LONGEST_TYPE = 100;

/** Media types that do not identify the type of a file. */
const GENERIC_TYPE = /^(?:application|binary)\/(?:octet-stream|x-download|force-download|download|base64)$/;

// Looks for the comma only in the first characters: without one, a regular expression takes quadratic time.
function splitDataUrl(data: string): { mediaType?: string; base64: string } {
  const comma = data.slice(0, LONGEST_DATA_PREFIX).indexOf(",");
  if (comma < 0 || !/^data:/i.test(data)) return { base64: data };
  return { mediaType: data.slice("data:".length, comma), base64: data.slice(comma + 1) };
}

// A resume that is not text cannot be base64. It becomes a text that is not base64 either, so that the lead records it.
function placeholderFor(data: Json | undefined): string {
  return data === false || isEmpty(data) ? "" : "?";
}

function readType(contentType: Json | undefined): string | undefined {
  if (typeof contentType !== "string") return undefined;
  // The cut may split a surrogate pair, and a lone surrogate cannot be stored.
  const type = contentType.slice(0, LONGEST_TYPE).toWellFormed().split(";", 1)[0]?.trim()
    .toLowerCase()
    .replace(/^\./, "");
  if (!type || GENERIC_TYPE.test(type)) return undefined;
  return /^(?:application\/(?:x-)?)?pdf$/.test(type) ? "pdf" : type;
}

function fileEnding(name: string | undefined): string | undefined {
  return /\.([A-Za-z0-9]{1,10})$/.exec(name ?? "")?.[1]?.toLowerCase();
}
