/**
 * No hand-written line is longer than .editorconfig says. `deno fmt` holds code to less, and leaves comments and SQL.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT, runToEnd } from "../local/mod.ts";

/** Of most files, and of SQL. */
const [LIMIT, SQL_LIMIT] = Array.from(
  read(".editorconfig").matchAll(/^max_line_length = (\d+)$/gm),
  ([, limit]) => Number(limit),
) as [number, number];

/** The parts of a line that cannot be broken: a string, or an address. */
const WHOLE = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.|'')*'|`[^`]*`|https?:\/\/\S+/g;
const COMMENT = /^\s*(?:\/\/|\/?\*|--|#)/;
const TABLE_ROW = /^\s*(?:--|\*)?\s*\|/;

function read(path: string): string {
  return Deno.readTextFileSync(join(ROOT, path));
}

/** Whether a line could be shorter and should be. */
function isTooLong(line: string, limit: number): boolean {
  if (line.length <= limit || TABLE_ROW.test(line)) return false;
  const whole = COMMENT.test(line) ? /https?:\/\/\S+/g : WHOLE;
  return line.replaceAll(whole, "").length > limit;
}

/** The files that somebody writes: not those that .gitattributes names, and no data. */
async function handWritten(): Promise<string[]> {
  const names = ["ls-files", "--cached", "--others", "--exclude-standard"];
  const { out } = await runToEnd("git", names);
  const attributes = await runToEnd(
    "git",
    ["check-attr", "linguist-generated", "--stdin"],
    {},
    out,
  );
  return attributes.out.split("\n").flatMap((line) => {
    const [path, , value] = line.split(": ") as [string, string?, string?];
    const isText = value === "unspecified" && !/\.(json|svg|lock)$/.test(path);
    // A file that was deleted is listed until the deletion is committed.
    return isText && existsSync(join(ROOT, path)) ? [path] : [];
  });
}

/**
 * The lines of a file that count. A block of a page is a command or an output as it is typed or shown, and so is all of
 * a transcript but its remarks.
 */
function linesOf(path: string): string[] {
  const text = read(path);
  if (path.endsWith(".transcript")) return text.split("\n").map((line) => line.startsWith("# ") ? line : "");
  const counted = path.endsWith(".md")
    ? text.replaceAll(/^```.*?^```/gms, (block) => block.replaceAll(/.+/g, ""))
    : text;
  return counted.split("\n");
}

Deno.test("no line is longer than .editorconfig says", async () => {
  const long = (await handWritten()).flatMap((path) => {
    const limit = /\.p?sql$/.test(path) ? SQL_LIMIT : LIMIT;
    return linesOf(path).flatMap((line, index) => isTooLong(line, limit) ? [`${path}:${index + 1}`] : []);
  });
  assert.equal(long.length, 0, `break these lines, as .editorconfig says:\n${long.join("\n")}`);
});
