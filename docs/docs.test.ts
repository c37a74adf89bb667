/**
 * What the pages name exists: files, npm scripts, and the targets of links. Commands are run by other tests; a block
 * that is not says why.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { STATUS_OF_CODE } from "../supabase/functions/_shared/errors.ts";

const ROOT = new URL("../", import.meta.url);
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "SECURITY.md",
  ...Array.from(Deno.readDirSync(new URL("docs/", ROOT)), ({ name }) => `docs/${name}`)
    .filter((name) => name.endsWith(".md")),
];
const SCRIPTS = Object.keys(
  JSON.parse(Deno.readTextFileSync(new URL("package.json", ROOT))).scripts,
);

/** A path from the root of the checkout, without a placeholder in it. */
const PATH = /^(?:\.github|admin|desk|dev|docs|e2e|supabase)(?:\/[\w.-]+)*\/?$/;

/** The tests that paste the commands of pages. */
const RUNNERS = [
  "e2e/docs/pages.test.ts",
  "e2e/docs/destinations.test.ts",
  "e2e/docs/operations.test.ts",
  "e2e/texting/docs.test.ts",
];

/** The pages whose commands are run. */
const RUN_PAGES = RUNNERS.flatMap((file) =>
  Array.from(Deno.readTextFileSync(new URL(file, ROOT)).matchAll(/"((?:docs\/)?\w+\.md)"/g), ([, page]) => page!)
);

/** Pages whose text is given, or generated from comments. */
const NOT_OURS = ["docs/specification.md", "docs/schema.md"];

/** Files that a page names although a checkout does not have them. */
const NOT_KEPT = ["supabase/functions/.env", "stack.json", "config.json", "data.sql", "empty.sql"];

/** Variables that one process of the stack sets for another, and those of npm and the shell. */
const BETWEEN_PROCESSES = /^(?:LITE_\w+|LOCAL_GATEWAY|ALLOW_LOCAL_DESTINATIONS|INIT_CWD|PATH|USER|USERNAME)$/;

/** A command for one file of tests: `pgtap <file>`, or all of `npm test -- pgtap <file>`. */
const TEST_OF = /^(?:npm test -- )?(?:unit|pgtap|e2e|desk|texting|faults|local) (\S+)(?: --update)?$/;

/** A file by its name alone: it stands beside the one that was named before. */
const FILE_NAME = /^[\w.-]+\.(?:ts|tsx|sql|css|json|psql|yml)$/;

/** Files that an example would add. */
const EXAMPLES = ["e2e/routes/referrals.test.ts", "supabase/functions/recruiting/referrals.ts"];

/** The names of all files of a folder, without their folders. */
function namesIn(folder: string): string[] {
  return Array.from(Deno.readDirSync(new URL(folder, ROOT))).flatMap(({ name, isDirectory }) => {
    if (/^node_modules$|^\.(?:git|local)/.test(name) && isDirectory) return [];
    return isDirectory ? namesIn(`${folder}${name}/`) : [name];
  });
}

const FILE_NAMES = new Set(namesIn("./"));

/** The source files of some folders, tests aside. */
function sources(folders: string[]): string[] {
  return folders.flatMap((folder) =>
    Array.from(Deno.readDirSync(new URL(folder, ROOT))).flatMap(({ name, isDirectory }) => {
      if (isDirectory) return sources([`${folder}${name}/`]);
      if (!name.endsWith(".ts") || name.endsWith(".test.ts")) return [];
      return [Deno.readTextFileSync(new URL(`${folder}${name}`, ROOT))];
    })
  );
}

/** The headings of a page as GitHub links to them. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-")
  );
}

for (const page of PAGES) {
  const url = new URL(page, ROOT);
  const text = Deno.readTextFileSync(url);

  Deno.test(`each file, npm script and link that ${page} names exists`, () => {
    const quoted = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!).filter((code) =>
      !NOT_KEPT.includes(code)
    );
    const paths = quoted.map((code) => TEST_OF.exec(code)?.[1] ?? code)
      .filter((code) => PATH.test(code) && !EXAMPLES.includes(code));
    assert.deepEqual(paths.filter((path) => !existsSync(new URL(path, ROOT))), []);
    const names = quoted.filter((code) => FILE_NAME.test(code));
    assert.deepEqual(names.filter((name) => !FILE_NAMES.has(name)), []);
    const scripts = [...text.matchAll(/\bnpm run (?:-s |--silent )?([\w:-]+)/g)].map(([, name]) => name!);
    assert.deepEqual(scripts.filter((name) => !SCRIPTS.includes(name)), []);

    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
      .filter((target) => !/^[a-z]+:/.test(target));
    const dead = links.filter((target) => {
      const [path, anchor] = target.split("#") as [string, string?];
      const file = path === "" ? url : new URL(path, url);
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchors(Deno.readTextFileSync(file)).includes(anchor);
    });
    assert.deepEqual(dead, []);
  });

  Deno.test(`every command in ${page} is run, or says why not`, () => {
    const blocks = [...text.matchAll(/^ *```(?:sh|sql)(.*)\n(.*)$/gm)];
    const unmarked = blocks.filter(({ index, 1: mark }) =>
      mark === " run"
        ? !RUN_PAGES.includes(page)
        : mark !== "" || !/<!-- not run: .+ -->\n\n$/.test(text.slice(0, index))
    );
    assert.deepEqual(unmarked.map(([, , command]) => command), []);
  });

  Deno.test(`no cell of a table in ${page} has more than 60 characters, and no code runs over a line`, () => {
    if (NOT_OURS.includes(page)) return;
    const prose = text.replace(/^ *```.*?^ *```$/gms, "");
    const cells = [...prose.matchAll(/^\|(.+)\|$/gm)]
      .filter(([, row]) => !/^[\s|:-]+$/.test(row!))
      .flatMap(([, row]) => row!.split("|").map((cell) => cell.trim()));
    assert.deepEqual(cells.filter((cell) => cell.length > 60), [], "make it a list");
    const spans = prose.split(/\n\n/).flatMap((paragraph) => paragraph.match(/(`+)(?!`)[^]+?(?<!`)\1(?!`)/g) ?? []);
    assert.deepEqual(spans.filter((span) => span.includes("\n")), [], "reword it: the formatter broke the line there");
  });
}

Deno.test("docs/interface.md has the status of every error, and no other", () => {
  const page = Deno.readTextFileSync(new URL("docs/interface.md", ROOT));
  const [, statuses] = /\*\*Errors\.\*\*[^(]*\(([\d,\s]+)\)/.exec(page)!;
  assert.deepEqual(statuses!.split(/,\s+/).map(Number), Object.values(STATUS_OF_CODE));
});

Deno.test("docs/operations.md has every error and warning that the functions log, and no other", () => {
  const page = Deno.readTextFileSync(new URL("docs/operations.md", ROOT));
  const [, list] = page.split("## Errors in the log");
  const named = [...list!.split("\n## ", 1)[0]!.matchAll(/^- (`[^:]+):/gm)]
    .flatMap(([, names]) => [...names!.matchAll(/\w+/g)].map(([name]) => name));
  const logged = sources(["supabase/functions/"]).flatMap((text) =>
    [...text.matchAll(/log(?:Error|Warning)\(\{[^}]*?\bevent: "(\w+)"/g)].map(([, event]) => event!)
  );
  assert.deepEqual(named.sort(), [...new Set(logged)].sort());
});

Deno.test("docs/configuration.md has every environment variable that is read, and .env.example no other", () => {
  const page = Deno.readTextFileSync(new URL("docs/configuration.md", ROOT));
  const named = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name!);
  const folders = ["supabase/functions/", "admin/", "dev/local/", "dev/scripts/"];
  const read = sources(folders).flatMap((text) =>
    [...text.matchAll(/(?:\benv\.get|\.env|Env|\benv)\(\s*"([A-Z][A-Z_]+)"|\bsettings\.([A-Z_]+)/g)]
      .map(([, name, setting]) => (name ?? setting)!)
  ).filter((name) => !BETWEEN_PROCESSES.test(name));
  assert.deepEqual(named.sort(), [...new Set(read)].sort());
  const example = Deno.readTextFileSync(new URL("supabase/functions/.env.example", ROOT));
  const names = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name!);
  assert(names.length > 0);
  assert.deepEqual(names.filter((name) => !named.includes(name)), []);
});
