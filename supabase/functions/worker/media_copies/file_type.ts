import { Buffer } from "node:buffer";

/**
 * Signatures of the stored files: texts by their offsets, with one character for each byte. The bucket `text-media`
 * allows these types. Browsers execute none of them.
 */
const SIGNATURES: [parts: Record<number, string>, type: string][] = [
  [{ 0: "\xff\xd8\xff" }, "image/jpeg"],
  [{ 0: "\x89PNG\r\n\x1a\n" }, "image/png"],
  [{ 0: "GIF87a" }, "image/gif"],
  [{ 0: "GIF89a" }, "image/gif"],
  [{ 0: "RIFF", 8: "WEBP" }, "image/webp"],
  [{ 4: "ftyphei" }, "image/heic"],
  [{ 4: "ftyphev" }, "image/heic"],
  [{ 4: "ftypmif1" }, "image/heic"],
  [{ 4: "ftyp3g" }, "video/3gpp"],
  [{ 4: "ftypisom" }, "video/mp4"],
  [{ 4: "ftypiso2" }, "video/mp4"],
  [{ 4: "ftypmp4" }, "video/mp4"],
  [{ 4: "ftypM4V" }, "video/mp4"],
  [{ 4: "ftypavc1" }, "video/mp4"],
  [{ 0: "%PDF-" }, "application/pdf"],
  [{ 0: "#!AMR" }, "audio/amr"],
  [{ 0: "ID3" }, "audio/mpeg"],
  [{ 0: "\xff\xfb" }, "audio/mpeg"],
  [{ 0: "\xff\xf3" }, "audio/mpeg"],
  [{ 0: "BEGIN:VCARD\r" }, "text/vcard"],
  [{ 0: "BEGIN:VCARD\n" }, "text/vcard"],
];

/** Returns the media type of a file by its content alone; undefined if the type is not stored. */
export function fileType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return SIGNATURES.find(([parts]) =>
    Object.entries(parts).every(([offset, text]) => head.startsWith(text, Number(offset)))
  )?.[1];
}
