/** The pages show of commands what they print: each quotation is a part of a transcript in e2e/admin. */
import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);
const QUOTATION = /^ *```text transcript\n(.*?)\n *```$/gms;

function read(folder: string, ending: string): { path: string; text: string }[] {
  return Array.from(Deno.readDirSync(new URL(folder, ROOT)))
    .filter(({ name }) => name.endsWith(ending))
    .map(({ name }) => ({ path: folder + name, text: Deno.readTextFileSync(new URL(folder + name, ROOT)) }));
}

Deno.test("what the pages show of commands is what the commands print", () => {
  const transcripts = read("e2e/admin/", ".transcript").map(({ text }) => `\n${text}\n`);
  const quotations = read("docs/", ".md").flatMap(({ path, text }) =>
    [...text.matchAll(QUOTATION)].map(([, quoted]) => ({ path, quoted: quoted! }))
  );
  assert(quotations.length > 0);
  const invented = quotations.filter(({ quoted }) => !transcripts.some((text) => text.includes(`\n${quoted}\n`)));
  assert.deepEqual(invented, [], "no transcript has these lines");
});
