/** The files of the roads in docs/architecture.md are where the page says that they are. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";

const ROOT = new URL("../", import.meta.url);
const PAGE = Deno.readTextFileSync(new URL("docs/architecture.md", ROOT));

/** Where a path may begin, besides at the root of the checkout. */
const ABOVE = ["", "supabase/functions/", "supabase/schemas/"];

/** The files and folders that a road names and that are not there. A name without a folder stands beside an earlier one. */
function misplaced(road: string): string[] {
  let folders: string[] = [];
  return road.split(/^\d+\. /m).slice(1).flatMap((item) => {
    folders = folders.slice(-1);
    return [...item.matchAll(/`([\w./]+(?:\.(?:ts|tsx|sql)|\/))`/g)].map(([, name]) => name!).filter((name) => {
      const places = name.includes("/") ? ABOVE : folders;
      const found = places.find((place) => existsSync(new URL(place + name, ROOT)));
      if (found === undefined) return true;
      folders.push((found + name).replace(/[^/]*$/, ""));
      return false;
    });
  });
}

for (const heading of ["One lead, file by file", "One text, file by file"]) {
  Deno.test(`every file of "${heading}" is where the page says`, () => {
    const [, road] = PAGE.split(`\n## ${heading}\n`);
    const text = road!.split("\n## ", 1)[0]!;
    assert.ok(text.match(/^\d+\. /gm)!.length >= 10, "the road was not read");
    assert.deepEqual(misplaced(text), []);
  });
}
