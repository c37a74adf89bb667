/** No sentence of the pages has more than 25 words: many readers have English as a second language. */
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../local/mod.ts";

const MOST = 25;

/** Pages whose text is given, or generated from comments. */
const NOT_OURS = ["docs/specification.md", "docs/schema.md"];

/** The parts of a page that are no sentences: blocks, comments, headings and rows of tables. */
const NO_SENTENCE = /^ *```.*?^ *```|<!--.*?-->|^ *[#|][^\n]*$/gms;
/** Code, and the address of a link, which count as one word and none. */
const CODE = /`[^`]*`/g;
const ADDRESS = /\]\([^)]*\)/g;

/** Where a paragraph, or an item of a list, begins. */
const PARAGRAPH = /\n\s*\n|\n(?= *(?:[-*]|\d+\.) )/;

function sentencesOf(page: string): string[] {
  const text = page.replaceAll(NO_SENTENCE, "\n\n").replaceAll(CODE, "x").replaceAll(ADDRESS, "");
  return text.split(PARAGRAPH).flatMap((paragraph) =>
    paragraph.trim().replaceAll(/\s+/g, " ").split(/(?<=[.!?:][")\]*_]*) /)
  );
}

Deno.test("no sentence of the pages has more than 25 words", () => {
  const pages = globSync(["*.md", "docs/*.md"], { cwd: ROOT }).filter((path) => !NOT_OURS.includes(path));
  const long = pages.flatMap((path) =>
    sentencesOf(Deno.readTextFileSync(join(ROOT, path)))
      .filter((sentence) => sentence.split(" ").filter((word) => /\w/.test(word)).length > MOST)
      .map((sentence) => `${path}: ${sentence}`)
  );
  assert.equal(long.length, 0, `write these in shorter sentences:\n${long.join("\n")}`);
});
