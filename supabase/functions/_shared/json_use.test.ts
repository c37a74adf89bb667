import assert from "node:assert/strict";

const FUNCTIONS = new URL("../", import.meta.url);

function* sources(folder = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, FUNCTIONS))) {
    if (isDirectory) yield* sources(`${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}

Deno.test("only parseJson() parses JSON, because V8's JSON.parse may confuse keys", () => {
  const parsing = Array.from(sources()).filter((path) => {
    if (path.endsWith(".test.ts") || path.includes("/fixtures/")) return false;
    const text = Deno.readTextFileSync(new URL(path, FUNCTIONS));
    return /\bJSON\s*\??\.\s*parse\b|\.json\(\s*\)/.test(text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, ""));
  });
  assert.deepEqual(parsing.sort(), ["_shared/json.ts", "_shared/json_reader.ts"]);
});
