/**
 * OLE compound files, the container of the old Office formats.
 * Source: https://learn.microsoft.com/openspecs/windows_protocols/ms-cfb
 */

import { Buffer } from "node:buffer";

/** The top-level streams that identify a document. A document may embed others at lower levels. */
const TYPE_OF_STREAM: [name: string, mediaType: string][] = [
  ["WordDocument", "application/msword"],
  ["Workbook", "application/vnd.ms-excel"],
  ["Book", "application/vnd.ms-excel"],
  ["PowerPoint Document", "application/vnd.ms-powerpoint"],
  ["__properties_version1.0", "application/vnd.ms-outlook"],
];

const ENTRY_BYTES = 128;
const STREAM = 2;

/** The number that ends a chain of sectors or entries. Reads beyond the end of the file also return it. */
const NONE = 0xffffffff;

/** Returns the media type of an OLE compound file; `application/x-ole-storage` if it is not an Office document. */
export function oleType(bytes: Uint8Array): string {
  const streams = topStreams(bytes);
  const known = TYPE_OF_STREAM.find(([name]) =>
    // A truncated file has lost its directory, but may still contain the name.
    streams.size > 0 ? streams.has(name) : holds(bytes, name)
  );
  return known?.[1] ?? "application/x-ole-storage";
}

function holds(bytes: Uint8Array, name: string): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes(name, 0, "utf16le");
}

/** Returns the names of the top-level streams. */
function topStreams(bytes: Uint8Array): Set<string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const uint16 = (at: number) => at + 2 <= bytes.length ? view.getUint16(at, true) : 0;
  const uint32 = (at: number) => at + 4 <= bytes.length ? view.getUint32(at, true) : NONE;
  const sectorBytes = uint16(30) === 12 ? 4096 : 512;
  const numbersInSector = sectorBytes / 4;
  const entriesInSector = sectorBytes / ENTRY_BYTES;
  const sectorCount = Math.ceil(bytes.length / sectorBytes);
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes;

  // The sectors of the allocation table: 109 are in the header, the others in a separate chain.
  const table = Array.from({ length: 109 }, (_, index) => uint32(76 + index * 4));
  let more = uint32(68);
  while (more < sectorCount && table.length <= sectorCount) {
    const start = offsetOf(more);
    for (let index = 0; index < numbersInSector - 1; index++) table.push(uint32(start + index * 4));
    more = uint32(start + sectorBytes - 4);
  }
  const sectorAfter = (sector: number) => {
    const inTable = table[Math.floor(sector / numbersInSector)] ?? NONE;
    return uint32(offsetOf(inTable) + sector % numbersInSector * 4);
  };

  const directory: number[] = [];
  let sector = uint32(48);
  while (sector < sectorCount && directory.length < sectorCount) {
    directory.push(sector);
    sector = sectorAfter(sector);
  }
  const entryAt = (id: number) => {
    const sector = directory[Math.floor(id / entriesInSector)];
    return sector === undefined ? undefined : offsetOf(sector) + id % entriesInSector * ENTRY_BYTES;
  };

  // The entries of one storage form a binary tree.
  const names = new Set<string>();
  const visited = new Set<number>();
  const waiting = [uint32((entryAt(0) ?? NONE) + 76)];
  while (waiting.length > 0) {
    const id = waiting.pop() as number;
    const at = entryAt(id);
    if (at === undefined || visited.has(id)) continue;
    visited.add(id);
    waiting.push(uint32(at + 68), uint32(at + 72));
    const nameBytes = Math.min(Math.max(uint16(at + 64) - 2, 0), 62);
    if (bytes[at + 66] === STREAM) names.add(utf16.decode(bytes.subarray(at, at + nameBytes)));
  }
  return names;
}

const utf16 = new TextDecoder("utf-16le");
