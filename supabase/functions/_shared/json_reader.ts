/** A text is not JSON. */
export class JsonSyntaxError extends SyntaxError {
  /** The place of the first wrong character, from 0; the length of a text that is cut off. */
  readonly at: number;

  constructor(at: number) {
    super(`unexpected character at ${at}`);
    this.at = at;
  }
}

/**
 * The value of a JSON text, read without giving JSON.parse an object: for a text with an escape in a key.
 *
 * JSON.parse of V8 13 to 15 is faster. But it takes such a key for one of an earlier text, if the bytes sent begin with
 * that one: after a key `zz\`, from any sender, it reads `"zz\""` as `zz\`.
 *
 * @throws JsonSyntaxError when it is not JSON.
 */
export function readByKey(text: string): unknown {
  return new Reader(text).read();
}

const BLANK = /[ \t\n\r]/;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const CUT_ESCAPE = /^\\(?:u[0-9a-fA-F]{0,3})?$/;
/** A character that ends a number, true, false or null. */
const END_OF_WORD = /[,\]}\s]/;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): unknown {
    const value = this.#value();
    this.#skipBlanks();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return value;
  }

  #value(): unknown {
    if (this.#takes("{")) return Object.fromEntries(this.#listUpTo("}", () => this.#member()));
    if (this.#takes("[")) return this.#listUpTo("]", () => this.#value());
    return this.#text[this.#at] === '"' ? this.#string() : this.#word();
  }

  #member(): [string, unknown] {
    this.#skipBlanks();
    const key = this.#string();
    this.#require(":");
    return [key, this.#value()];
  }

  #listUpTo<Item>(end: string, readItem: () => Item): Item[] {
    const items: Item[] = [];
    if (this.#takes(end)) return items;
    do items.push(readItem()); while (this.#takes(","));
    this.#require(end);
    return items;
  }

  #string(): string {
    const start = this.#at;
    this.#require('"');
    for (; this.#at < this.#text.length && this.#text[this.#at] !== '"'; this.#at++) {
      if (this.#text[this.#at] === "\\") this.#at++;
    }
    return this.#parse(start, ++this.#at) as string;
  }

  #word(): unknown {
    const start = this.#at;
    while (this.#at < this.#text.length && !END_OF_WORD.test(this.#text[this.#at]!)) this.#at++;
    return this.#parse(start, this.#at);
  }

  /** A text, a number, true, false or null. */
  #parse(start: number, end: number): unknown {
    const text = this.#text.slice(start, end);
    try {
      return JSON.parse(text);
    } catch {
      throw new JsonSyntaxError(start + placeOfError(text));
    }
  }

  /** Goes beyond the next character if it is this one. */
  #takes(character: string): boolean {
    this.#skipBlanks();
    const isNext = this.#text[this.#at] === character;
    if (isNext) this.#at++;
    return isNext;
  }

  #require(character: string): void {
    if (!this.#takes(character)) throw this.#unexpected();
  }

  #skipBlanks(): void {
    while (this.#at < this.#text.length && BLANK.test(this.#text[this.#at]!)) this.#at++;
  }

  #unexpected(): JsonSyntaxError {
    return new JsonSyntaxError(this.#at);
  }
}

/** The place of the first wrong character in a text between quotes; 0 for any other word. */
function placeOfError(text: string): number {
  if (text[0] !== '"') return 0;
  let at = 1;
  while (at < text.length && text[at]! >= " ") {
    ESCAPE.lastIndex = at;
    if (text[at] !== "\\") at++;
    else if (ESCAPE.test(text)) at = ESCAPE.lastIndex;
    else return CUT_ESCAPE.test(text.slice(at)) ? text.length : at;
  }
  return at;
}
