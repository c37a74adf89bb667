import { ApiError } from "./errors.ts";
import { MIB } from "./units.ts";

/** The bounds of a JSON text. Its size alone does not determine the memory and time that parsing takes. */
export interface JsonBounds {
  /** Nesting of objects and arrays. */
  depth: number;
  /** Objects, arrays, texts, numbers, true, false and null, except those counted by `fileNumbers`. */
  values: number;
  /** Different keys in all objects together. A key costs as much as 20 values. */
  keys: number;
  /** Bytes of one key. */
  keyBytes: number;
  /** Bytes outside of files. A file is a base64 text or an array of bytes, of at least 4,096. */
  textBytes: number;
  /** Numbers in those arrays. .NET sends files in this form. */
  fileNumbers: number;
}

/** What the parser must handle. */
export interface JsonScan {
  /** The number of values, including those of files. */
  values: number;
  /** Whether there is a number that JavaScript may not represent exactly. */
  hasLongNumber: boolean;
  /** Whether there is an escape in a key. */
  hasEscapedKey: boolean;
  /** Whether there is an escape of U+0000 or a surrogate. */
  hasUnstorable: boolean;
}

/**
 * Scans a JSON text once, byte by byte, before it is parsed. The parser validates the JSON: the bounds apply to any
 * text, and a parser stops at the first error.
 *
 * @param bytes the text in UTF-8
 * @throws ApiError that names the exceeded bound: BAD_REQUEST for the depth, PAYLOAD_TOO_LARGE for any other.
 */
export function scanJson(bytes: Uint8Array, bounds: JsonBounds): JsonScan {
  return new Scanner(bytes, bounds).scan();
}

/** In bytes of base64, or numbers in an array. */
const SHORTEST_FILE = 4_096;

/** Shorter numbers are exact, unless they have an exponent. */
const SHORTEST_INEXACT = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const LETTER_U = 0x75;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

const IN_BASE64 = 1;
const IN_NUMBER = 2;
const IN_WORD = 4;
/** The kind of token that each byte may be part of. */
const KINDS = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) {
  const character = String.fromCharCode(byte);
  // Escapes count as base64: line breaks in it are sent as \r\n, and some senders write / as \/.
  if (/[A-Za-z0-9+/=_\\-]/.test(character)) KINDS[byte]! |= IN_BASE64;
  if (/[0-9.eE+-]/.test(character)) KINDS[byte]! |= IN_NUMBER;
  if (/[A-Za-z]/.test(character)) KINDS[byte]! |= IN_WORD;
}

class Scanner {
  readonly #bytes: Uint8Array;
  readonly #bounds: JsonBounds;
  readonly #keys: KeyCounter | undefined;
  #hasLongNumber = false;
  #hasEscapedKey = false;
  #hasUnstorable = false;
  /** Whether the last text had an escape. */
  #isEscaped = false;
  #values = 0;
  #fileNumbers = 0;
  #fileBytes = 0;
  /** Where the innermost array starts and its number of bytes, while it contains nothing else. */
  #listStart = -1;
  #listed = 0;

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
    // A key with its value takes at least five bytes, so a small text cannot exceed the bound.
    if (bytes.length > bounds.keys * 5) this.#keys = new KeyCounter();
  }

  scan(): JsonScan {
    const bytes = this.#bytes;
    const isObject: boolean[] = [];
    let inObject = false;
    let isKey = false;
    for (let at = 0; at < bytes.length;) {
      const byte = bytes[at]!;
      const kind = KINDS[byte]!;
      if (byte === QUOTE) {
        const end = this.#endOfText(at + 1);
        if (isKey) this.#countKey(at + 1, end);
        else this.#countText(at + 1, end);
        at = end + 1;
      } else if (byte === COMMA || byte === COLON) {
        isKey = inObject && byte === COMMA;
        at++;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (isObject.length >= this.#bounds.depth) {
          const message = `the body is JSON nested deeper than ${this.#bounds.depth} levels`;
          throw new ApiError("BAD_REQUEST", message);
        }
        this.#countValue();
        isKey = inObject = byte === OPEN_OBJECT;
        isObject.push(inObject);
        if (!inObject) this.#listStart = at;
        at++;
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#endList(at);
        isObject.pop();
        inObject = isObject.at(-1) ?? false;
        isKey = false;
        at++;
      } else if (kind & IN_WORD) {
        this.#countValue();
        at = this.#endOf(IN_WORD, at);
      } else if (kind & IN_NUMBER) {
        const end = this.#endOf(IN_NUMBER, at);
        if (this.#listStart >= 0 && this.#isByte(at, end)) this.#listed++;
        else this.#countNumber(at, end);
        at = end;
      } else at++;
    }
    this.#endList(bytes.length);
    requireTextWithin(this.#bounds, bytes.length - this.#fileBytes);
    return {
      values: this.#values + this.#fileNumbers,
      hasLongNumber: this.#hasLongNumber,
      hasEscapedKey: this.#hasEscapedKey,
      hasUnstorable: this.#hasUnstorable,
    };
  }

  /** Returns the position of the closing quote. */
  #endOfText(at: number): number {
    const bytes = this.#bytes;
    this.#isEscaped = false;
    for (; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === QUOTE) return at;
      if (byte !== BACKSLASH) continue;
      this.#isEscaped = true;
      at++;
      if (bytes[at] === LETTER_U) this.#hasUnstorable ||= isUnstorable(bytes, at + 1);
    }
    return bytes.length;
  }

  #endOf(kind: number, at: number): number {
    const bytes = this.#bytes;
    while (at < bytes.length && (KINDS[bytes[at]!]! & kind) !== 0) at++;
    return at;
  }

  #countValue(): void {
    if (this.#listStart >= 0) this.#endList();
    this.#addValues(1);
  }

  #addValues(count: number): void {
    this.#values += count;
    if (this.#values > this.#bounds.values) throw tooMany(this.#bounds.values, "values");
  }

  /**
   * Counts the bytes of the innermost array.
   *
   * @param end where the array ends, if it contains nothing else
   */
  #endList(end?: number): void {
    if (end === undefined || this.#listed < SHORTEST_FILE) this.#addValues(this.#listed);
    else {
      this.#fileNumbers += this.#listed;
      this.#fileBytes += end - this.#listStart;
      const { fileNumbers } = this.#bounds;
      if (this.#fileNumbers > fileNumbers) throw tooMany(fileNumbers, "bytes in arrays");
    }
    this.#listStart = -1;
    this.#listed = 0;
  }

  #countKey(start: number, end: number): void {
    const { keys, keyBytes } = this.#bounds;
    if (end - start > keyBytes) throw tooMany(keyBytes, "bytes in one key");
    this.#hasEscapedKey ||= this.#isEscaped;
    if (this.#keys !== undefined && this.#keys.add(this.#bytes, start, end) > keys) {
      throw tooMany(keys, "different keys");
    }
  }

  #countText(start: number, end: number): void {
    this.#countValue();
    if (isFile(this.#bytes, start, end)) this.#fileBytes += end - start;
  }

  #countNumber(start: number, end: number): void {
    this.#countValue();
    this.#hasLongNumber ||= end - start >= SHORTEST_INEXACT;
    // The only letter in a number is that of its exponent.
    for (let at = start; at < end; at++) this.#hasLongNumber ||= this.#bytes[at]! > DIGIT_9;
  }

  /** Returns whether a number is between 0 and 255. */
  #isByte(start: number, end: number): boolean {
    if (end - start > 3) return false;
    let value = 0;
    for (let at = start; at < end; at++) {
      const byte = this.#bytes[at]!;
      if (byte < DIGIT_0 || byte > DIGIT_9) return false;
      value = 10 * value + byte - DIGIT_0;
    }
    return value <= 255;
  }
}

/** Counts different keys by their hashes, in constant memory. It misses about one in a hundred. */
class KeyCounter {
  static readonly #BITS = 20;
  // The seed prevents a sender from choosing keys whose hashes collide.
  static readonly #SEED = crypto.getRandomValues(new Uint32Array(1))[0]!;
  readonly #seen = new Uint8Array(2 ** KeyCounter.#BITS / 8);
  #count = 0;

  /** Counts a key; returns the number of different keys so far. */
  add(bytes: Uint8Array, start: number, end: number): number {
    let hash = KeyCounter.#SEED;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> (32 - KeyCounter.#BITS);
    const bit = 1 << (hash & 7);
    if ((this.#seen[hash >>> 3]! & bit) === 0) {
      this.#seen[hash >>> 3]! |= bit;
      this.#count++;
    }
    return this.#count;
  }
}

/** Returns whether the bytes of a text are a file. A `data:` prefix and whitespace are allowed. */
export function isFile(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (length < SHORTEST_FILE) return false;
  let others = 300 + length / 32;
  for (let at = start; at < end && others >= 0; at++) {
    if ((KINDS[bytes[at]!]! & IN_BASE64) === 0) others--;
  }
  return others >= 0;
}

/** Returns whether the four digits of an escape are 0000 or a surrogate, d800 to dfff. */
function isUnstorable(bytes: Uint8Array, at: number): boolean {
  const [first, second, third, fourth] = bytes.subarray(at, at + 4);
  if (first === 0x30) return second === 0x30 && third === 0x30 && fourth === 0x30;
  return (first === 0x44 || first === 0x64) && second! >= 0x38;
}

/** The error for a body that exceeds a bound. */
export function tooMany(bound: number, what: string): ApiError {
  return tooLarge(`${bound.toLocaleString("en-US")} ${what}`);
}

/**
 * Requires that a body does not have too much text.
 *
 * @param bytes the size without files
 * @throws ApiError PAYLOAD_TOO_LARGE.
 */
export function requireTextWithin({ textBytes }: JsonBounds, bytes: number): void {
  if (bytes > textBytes) throw tooLarge(`${textBytes / MIB} MiB besides its files`);
}

function tooLarge(bound: string): ApiError {
  return new ApiError("PAYLOAD_TOO_LARGE", `the body has more than ${bound}`);
}
