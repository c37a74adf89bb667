import assert from "node:assert/strict";
import { shellWord } from "./shell_word.ts";

Deno.test("a word of a command is one word, whatever is in it", () => {
  for (const word of ["+13125550142", "NV"]) assert.equal(shellWord(word), word);
  for (const name of ["Acme Life", "", '"; rm -rf $HOME; `id` $(id) "', "O'Hara & Sons", "a\nb"]) {
    const { stdout } = new Deno.Command("sh", { args: ["-c", `printf %s ${shellWord(name)}`] }).outputSync();
    assert.equal(new TextDecoder().decode(stdout), name);
  }
});
