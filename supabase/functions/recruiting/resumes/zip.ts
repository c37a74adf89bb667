import { Buffer } from "node:buffer";

/** The signatures of the parts of a zip archive (PKWARE APPNOTE 4.3). */
const LOCAL_HEADER = "PK\x03\x04";
const DIRECTORY_ENTRY = "PK\x01\x02";
const END_OF_DIRECTORY = "PK\x05\x06";

const END_BYTES = 22;

/** More entries than any document has. */
const MAX_ENTRIES = 10_000;

const OFFICE = "application/vnd.openxmlformats-officedocument";

/**
 * Returns the media type of a zip archive by the names of its entries: that of an Office document, the content of the
 * entry `mimetype` (OpenDocument, EPUB), or `application/zip`.
 */
export function zipType(bytes: Uint8Array): string {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const declared = declaredType(zip);
  if (declared !== undefined) return declared;

  const names = directoryNames(zip) ?? headerNames(zip);
  const isOffice = names.has("[content_types].xml");
  const hasFolder = (folder: string) => names.values().some((name) => name.startsWith(folder));
  if (names.has("word/vbaproject.bin")) return "application/vnd.ms-word.document.macroenabled.12";
  if (names.has("word/document.xml") || (isOffice && hasFolder("word/"))) {
    return `${OFFICE}.wordprocessingml.document`;
  }
  if (isOffice && hasFolder("xl/")) return `${OFFICE}.spreadsheetml.sheet`;
  if (isOffice && hasFolder("ppt/")) return `${OFFICE}.presentationml.presentation`;
  return "application/zip";
}

/**
 * Returns the content of the first entry if it is named `mimetype` and not compressed, as OpenDocument 1.2 (part 3,
 * 3.3) requires.
 */
function declaredType(zip: Buffer): string | undefined {
  if (textAt(zip, 30, 8) !== "mimetype" || zip.readUInt16LE(8) !== 0) return undefined;
  const start = 38 + zip.readUInt16LE(28);
  const [text = ""] = textAt(zip, start, 100).split("PK", 1);
  return DECLARED.test(text) ? text : undefined;
}

/** The trusted types: only an archive can have one of them. */
const DECLARED = /^application\/(?:vnd\.oasis\.opendocument\.[a-z-]+|epub\+zip)$/;

/** Returns the names in the directory at the end of the archive, in lower case; undefined if there is none. */
function directoryNames(zip: Buffer): Set<string> | undefined {
  const end = zip.lastIndexOf(END_OF_DIRECTORY, undefined, "latin1");
  if (end < 0 || end + END_BYTES > zip.length) return undefined;
  const names = new Set<string>();
  let at = end - zip.readUInt32LE(end + 12);
  while (at >= 0 && at + 46 <= end && names.size < MAX_ENTRIES) {
    if (textAt(zip, at, 4) !== DIRECTORY_ENTRY) break;
    const nameLength = zip.readUInt16LE(at + 28);
    names.add(nameAt(zip, at + 46, nameLength));
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return names.size > 0 ? names : undefined;
}

/** Returns the names in the headers of the entries: a truncated archive has no directory. */
function headerNames(zip: Buffer): Set<string> {
  const names = new Set<string>();
  let at = zip.indexOf(LOCAL_HEADER, 0, "latin1");
  while (at >= 0 && at + 30 <= zip.length && names.size < MAX_ENTRIES) {
    const nameLength = zip.readUInt16LE(at + 26);
    names.add(nameAt(zip, at + 30, nameLength));
    at = zip.indexOf(LOCAL_HEADER, at + 30 + nameLength, "latin1");
  }
  return names;
}

function nameAt(zip: Buffer, at: number, length: number): string {
  return textAt(zip, at, length).toLowerCase().replaceAll("\\", "/");
}

function textAt(zip: Buffer, at: number, length: number): string {
  return zip.toString("latin1", at, at + length);
}
