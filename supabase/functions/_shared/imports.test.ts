/** Imports between folders go one way, so that each folder can be read and changed without the others. JSON is parsed in one place. */
import assert from "node:assert/strict";

const FUNCTIONS = new URL("../", import.meta.url);

const TABLE = "MAY_IMPORT in supabase/functions/_shared/imports.test.ts";

/** The folders, and which others each may import. A new folder needs a line here. */
const MAY_IMPORT: Record<string, string[]> = {
  "_shared": [],
  "api": ["_shared"],
  "recruiting": ["recruiting/ingest", "recruiting/sms", "recruiting/webhooks", "_shared"],
  "recruiting/ingest": ["recruiting/parsers", "recruiting/resumes", "_shared"],
  "recruiting/parsers": ["_shared"],
  "recruiting/parsers/fixtures": ["recruiting/parsers", "_shared"],
  "recruiting/resumes": ["_shared"],
  "recruiting/resumes/fixtures": [],
  "recruiting/sms": ["_shared"],
  "recruiting/webhooks": ["recruiting/ingest", "recruiting/parsers", "_shared"],
  "recruiting/webhooks/fixtures": ["recruiting/webhooks", "_shared"],
  "texting": ["_shared"],
};

/** Tests may read their fixtures, too. */
const TESTS_MAY_IMPORT: Record<string, string[]> = {
  "recruiting/parsers": ["recruiting/parsers/fixtures"],
  "recruiting/resumes": ["recruiting/resumes/fixtures"],
  "recruiting/webhooks": ["recruiting/webhooks/fixtures"],
};

/**
 * The imports of a file that the table does not allow. An import that leaves the functions' folder, to dev/scripts/ say, is
 * never allowed: a function is deployed without it.
 *
 * @param path the file below supabase/functions, e.g. `api/index.ts`
 */
function wrongImports(path: string, text: string): string[] {
  const folder = folderOf(path);
  const allowed = [folder, ...MAY_IMPORT[folder] ?? []];
  if (path.endsWith(".test.ts")) allowed.push(...TESTS_MAY_IMPORT[folder] ?? []);
  const imported = text.matchAll(/(?:\bfrom|\bimport\(?)\s*"(\.[^"]+)"/g);
  return Array.from(imported, ([, specifier]) => specifier!).filter((specifier) => {
    const { pathname } = new URL(specifier, `file:///supabase/functions/${path}`);
    const [, target] = /^\/supabase\/functions\/(.+)$/.exec(pathname) ?? [];
    return target === undefined || !allowed.includes(folderOf(target));
  });
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

function* sources(folder = ""): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, FUNCTIONS))) {
    if (isDirectory) yield* sources(`${folder}${name}/`);
    else if (name.endsWith(".ts")) yield folder + name;
  }
}

Deno.test("every import of the functions goes in the allowed direction", () => {
  const paths = Array.from(sources());
  assert(paths.includes("recruiting/parsers/index.ts"));
  const wrong = paths.flatMap((path) => {
    assert(folderOf(path) in MAY_IMPORT, `${path}: its folder has no line in ${TABLE}`);
    const text = Deno.readTextFileSync(new URL(path, FUNCTIONS));
    return wrongImports(path, text).map((specifier) => `${path} imports ${specifier}`);
  });
  assert.equal(wrong.length, 0, `${wrong.join("\n")}\n${TABLE} has what a folder may import`);
});

for (
  const [path, specifier] of [
    ["_shared/app.ts", "../api/index.ts"],
    ["api/index.ts", "../recruiting/index.ts"],
    ["api/index.ts", "../../../dev/scripts/openapi/main.ts"],
    ["recruiting/parsers/indeed.ts", "../ingest/ingest.ts"],
    ["recruiting/parsers/indeed.ts", "./fixtures/read.ts"],
    ["recruiting/sms/inbound.ts", "../parsers/index.ts"],
    ["recruiting/ingest/ingest.ts", "../sms/inbound.ts"],
  ] as const
) {
  Deno.test(`${path} must not import ${specifier}`, () => {
    for (
      const statement of [
        `import { a } from "${specifier}";`,
        `import type { A } from "${specifier}";`,
        `import {\n  a,\n} from "${specifier}";`,
        `export * from "${specifier}";`,
        `import "${specifier}";`,
        `await import("${specifier}");`,
      ]
    ) assert.deepEqual(wrongImports(path, statement), [specifier]);
  });
}

for (
  const [path, specifier] of [
    ["recruiting/parsers/indeed.ts", "./fields.ts"],
    ["recruiting/parsers/indeed.ts", "../../_shared/json.ts"],
    ["recruiting/parsers/indeed.ts", "zod"],
    ["recruiting/parsers/indeed.test.ts", "./fixtures/read.ts"],
    ["recruiting/ingest/ingest.ts", "../parsers/index.ts"],
  ] as const
) {
  Deno.test(`${path} may import ${specifier}`, () => {
    assert.deepEqual(wrongImports(path, `import "${specifier}";`), []);
  });
}

Deno.test("only parseJson() parses JSON, because V8's own JSON.parse may take one key for another", () => {
  const parsing = Array.from(sources()).filter((path) => {
    if (path.endsWith(".test.ts") || path.includes("/fixtures/")) return false;
    const text = Deno.readTextFileSync(new URL(path, FUNCTIONS));
    return /\bJSON\s*\??\.\s*parse\b|\.json\(\s*\)/.test(
      text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, ""),
    );
  });
  assert.deepEqual(parsing.sort(), ["_shared/json.ts", "_shared/json_reader.ts"]);
});
