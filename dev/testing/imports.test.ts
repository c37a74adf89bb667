/** Imports between folders go one way, so that each folder can be read and changed without those above it. */
import assert from "node:assert/strict";
import { dirname, join, normalize } from "node:path";
import { ROOT, runToEnd } from "../local/mod.ts";
import { FUNCTION_NAMES } from "../scripts/edge_functions.ts";

const TABLE = "MAY_IMPORT in dev/testing/imports.test.ts";

/**
 * The folders, and which others the files in each may import. A folder without a line belongs to the one above it. The
 * functions are deployed without the rest, so they import nothing of it.
 */
const MAY_IMPORT: Record<string, string[]> = {
  "supabase/functions/_shared": [],
  "supabase/functions/api": ["supabase/functions/_shared"],
  "supabase/functions/operator": [
    "supabase/functions/_shared",
    "supabase/functions/api",
    "supabase/functions/recruiting/ingest",
    "supabase/functions/recruiting/parsers",
  ],
  "supabase/functions/recruiting": [
    "supabase/functions/_shared",
    "supabase/functions/recruiting/fetches",
    "supabase/functions/recruiting/ingest",
    "supabase/functions/recruiting/sms",
    "supabase/functions/recruiting/webhooks",
  ],
  "supabase/functions/recruiting/fetches": [
    "supabase/functions/_shared",
    "supabase/functions/recruiting/ingest",
    "supabase/functions/recruiting/parsers",
  ],
  "supabase/functions/recruiting/ingest": [
    "supabase/functions/_shared",
    "supabase/functions/recruiting/parsers",
    "supabase/functions/recruiting/resumes",
  ],
  "supabase/functions/recruiting/parsers": ["supabase/functions/_shared"],
  "supabase/functions/recruiting/parsers/fixtures": [
    "supabase/functions/_shared",
    "supabase/functions/recruiting/parsers",
  ],
  "supabase/functions/recruiting/resumes": ["supabase/functions/_shared"],
  "supabase/functions/recruiting/resumes/fixtures": [],
  "supabase/functions/recruiting/sms": ["supabase/functions/_shared"],
  "supabase/functions/recruiting/webhooks": [
    "supabase/functions/_shared",
    "supabase/functions/recruiting/fetches",
    "supabase/functions/recruiting/ingest",
    "supabase/functions/recruiting/parsers",
  ],
  "supabase/functions/recruiting/webhooks/fixtures": [
    "supabase/functions/_shared",
    "supabase/functions/recruiting/webhooks",
  ],
  "supabase/functions/texting": ["supabase/functions/_shared"],

  "supabase/tests": ["supabase/functions", "dev/local", "dev/scripts", "dev/testing", "admin"],
  "desk": ["supabase/functions/_shared", "desk"],
  "desk/data": ["supabase/functions/_shared"],
  "desk/ui": ["desk/data"],
  "desk/session": ["desk/data", "desk/ui"],
  // No view knows another.
  ...Object.fromEntries(
    ["inbox", "recruits", "sales", "team", "told", "operator", "presentation"]
      .map((view) => [`desk/${view}`, ["supabase/functions/_shared", "desk/data", "desk/ui"]]),
  ),
  "docs": ["supabase/functions", "dev/scripts"],
  "dev/local": ["supabase/functions"],
  "dev/scripts": ["supabase/functions", "dev/local"],
  "admin": ["supabase/functions", "dev/local"],
  "dev/testing": ["supabase/functions", "dev/local", "dev/scripts"],
  "e2e": ["supabase/functions", "desk", "docs", "dev/local", "dev/scripts", "dev/testing", "admin"],
  "dev/bench": ["supabase/functions", "dev/local", "dev/scripts", "dev/testing", "admin"],
  "dev/chaos": ["dev/local", "dev/testing", "dev/bench", "e2e", "admin"],
};

/** The folders that tests may import besides, such as their fixtures or the stack they run on. */
const TESTS_MAY_IMPORT: Record<string, string[]> = {
  "supabase/functions/recruiting/parsers": ["supabase/functions/recruiting/parsers/fixtures"],
  "supabase/functions/recruiting/resumes": ["supabase/functions/recruiting/resumes/fixtures"],
  "supabase/functions/recruiting/webhooks": ["supabase/functions/recruiting/webhooks/fixtures"],
  "dev/local": ["dev/testing"],
  "dev/testing": ["e2e"],
};

/** The line of the table that a file belongs to. */
function lineOf(path: string): string | undefined {
  let folder = dirname(path);
  while (folder !== "." && !(folder in MAY_IMPORT)) folder = dirname(folder);
  return folder === "." ? undefined : folder;
}

/** The imports of a file, as it names them. */
function specifiersIn(text: string): string[] {
  const found = text.matchAll(/(?:\bfrom|\bimport\(?)\s*"([^"\s]+)"/g);
  return Array.from(found, ([, specifier]) => specifier!);
}

/** The files that a file imports, by their paths in the checkout. */
function importsOf(path: string, text: string): string[] {
  return specifiersIn(text).filter((specifier) => specifier.startsWith("."))
    .map((specifier) => normalize(join(dirname(path), specifier)));
}

/** The imports of a file that the table does not allow. Nothing may import a test. */
function wrongImports(path: string, text: string): string[] {
  const line = lineOf(path);
  assert(line !== undefined, `${path}: its folder has no line in ${TABLE}`);
  const allowed = MAY_IMPORT[line]!.concat(
    path.endsWith(".test.ts") ? TESTS_MAY_IMPORT[line] ?? [] : [],
  );
  return importsOf(path, text).filter((imported) => {
    if (imported.endsWith(".test.ts")) return true;
    const target = lineOf(imported);
    return target !== line && !allowed.some((folder) => `${target}/`.startsWith(`${folder}/`));
  });
}

/** A way from a file back to itself, if there is one. */
function circleFrom(start: string, graph: Map<string, string[]>): string[] | undefined {
  const seen = new Set<string>();
  const search = (path: string[]): string[] | undefined => {
    for (const next of graph.get(path.at(-1)!) ?? []) {
      if (next === start) return [...path, start];
      if (seen.has(next)) continue;
      seen.add(next);
      const circle = search([...path, next]);
      if (circle) return circle;
    }
  };
  return search([start]);
}

const listFiles = ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx", "*.js"];
const { out } = await runToEnd("git", listFiles);
const sources = new Map<string, string>();
for (const path of out.split("\n").filter(Boolean)) {
  try {
    sources.set(path, Deno.readTextFileSync(join(ROOT, path)));
  } catch (error) {
    // Deleted, and git still lists it.
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

const graph = new Map(Array.from(sources, ([path, text]) => [path, importsOf(path, text)]));

Deno.test("every import goes in the allowed direction", () => {
  assert(sources.has("supabase/functions/recruiting/parsers/index.ts"));
  const wrong = Array.from(sources).flatMap(([path, text]) =>
    wrongImports(path, text).map((imported) => `${path} imports ${imported}`)
  );
  assert.equal(wrong.length, 0, `${wrong.join("\n")}\n${TABLE} has what a folder may import`);
});

Deno.test("no file imports itself by way of others", () => {
  const circles = Array.from(graph.keys(), (path) => circleFrom(path, graph))
    .filter((circle) => circle !== undefined);
  const listed = circles.map((circle) => circle.join(" > ")).join("\n");
  assert.equal(circles.length, 0, `${listed}\nMove what both ends need into a file of its own`);
});

for (const name of FUNCTION_NAMES) {
  Deno.test(`the deno.json of the function ${name} has every package that it loads`, () => {
    const folder = `supabase/functions/${name}`;
    const { imports } = JSON.parse(Deno.readTextFileSync(join(ROOT, folder, "deno.json")));
    // Grows while it is gone through.
    const loaded = new Set([`${folder}/index.ts`]);
    for (const path of loaded) for (const imported of graph.get(path) ?? []) loaded.add(imported);
    const missing = Array.from(loaded).flatMap((path) =>
      specifiersIn(sources.get(path) ?? "")
        .filter((specifier) => !/^(?:\.|node:)/.test(specifier))
        .filter((specifier) =>
          !Object.keys(imports).some((key) => key === specifier || key.endsWith("/") && specifier.startsWith(key))
        )
        .map((specifier) => `${path} imports ${specifier}`)
    );
    const remedy = `add it to ${folder}/deno.json; npm run lock writes deno.lock`;
    assert.equal(missing.length, 0, `${missing.join("\n")}\n${remedy}`);
  });
}

for (
  const [path, specifier] of [
    ["supabase/functions/_shared/app.ts", "../api/index.ts"],
    ["supabase/functions/api/index.ts", "../recruiting/index.ts"],
    ["supabase/functions/api/index.ts", "../../../dev/scripts/openapi/main.ts"],
    ["supabase/functions/api/index.test.ts", "../../../e2e/support/client.ts"],
    ["supabase/functions/recruiting/parsers/indeed.ts", "../ingest/ingest.ts"],
    ["supabase/functions/recruiting/parsers/indeed.ts", "./fixtures/read.ts"],
    ["supabase/functions/recruiting/sms/inbound.ts", "../parsers/index.ts"],
    ["desk/team/team.tsx", "../inbox/inbox.tsx"],
    ["supabase/functions/recruiting/ingest/ingest.ts", "../sms/inbound.ts"],
    ["dev/scripts/smoke/main.ts", "../../testing/program.ts"],
    ["dev/local/stack.ts", "../../e2e/support/client.ts"],
    ["admin/main.ts", "../e2e/support/client.ts"],
    ["admin/main.ts", "../dev/testing/program.ts"],
    ["e2e/support/client.ts", "../routes/ingest.test.ts"],
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
    ) assert.equal(wrongImports(path, statement).length, 1);
  });
}

for (
  const [path, specifier] of [
    ["supabase/functions/recruiting/parsers/indeed.ts", "./fields.ts"],
    ["supabase/functions/recruiting/parsers/indeed.ts", "../../_shared/json.ts"],
    ["supabase/functions/recruiting/parsers/indeed.ts", "zod"],
    ["supabase/functions/recruiting/parsers/indeed.test.ts", "./fixtures/read.ts"],
    ["supabase/functions/recruiting/ingest/ingest.ts", "../parsers/index.ts"],
    ["dev/local/stack.test.ts", "../testing/checkout.ts"],
    ["e2e/texting/sending.test.ts", "../support/sms.ts"],
  ] as const
) {
  Deno.test(`${path} may import ${specifier}`, () => {
    assert.deepEqual(wrongImports(path, `import "${specifier}";`), []);
  });
}
