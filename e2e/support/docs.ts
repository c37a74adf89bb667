/** Runs the commands of the docs as somebody who pastes them into a terminal. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";
import { stackInfoFile } from "../../dev/local/mod.ts";
import { admin } from "./admin.ts";

/** The variables that are set in a terminal. */
export type Variables = Record<string, string>;

/** The acts of the test of a page besides pasting its commands. */
export interface PageOptions {
  /** Removes what the commands make, before they are run and afterwards. */
  clean?(): Promise<unknown>;
  /** The act before a section of the page, by its heading, or before a command, by its first line. */
  before?: Record<string, (terminal: Variables) => unknown>;
  /** The assertion after a section or a command, which has printed this. */
  after?: Record<string, (printed: string) => unknown>;
  /** Puts what the tests have of their own in place of what a command names. */
  rewrite?(command: string): string;
  /** Stands around all of it. */
  around?(run: () => Promise<void>): Promise<void>;
}

/** A command on a page, in a block that begins with "```sh run", and the JSON that is shown as its output. */
interface Example {
  command: string;
  output?: unknown;
}

const ROOT = new URL("../../", import.meta.url);

const RUN = /^```sh run\n(.*?)```(?:\n\n```json\n(.*?)```)?/gms;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The text of a page, such as `README.md`. */
export function readPage(file: string): string {
  return Deno.readTextFileSync(new URL(file, ROOT));
}

/** Tests that every command of a page does what the page says, in a terminal with the variables of the README. */
export function testPage(page: string, { clean, before = {}, after = {}, rewrite, around }: PageOptions = {}): void {
  Deno.test(`every command in ${page} does what it says`, async (test) => {
    const [top, ...sections] = readPage(page).split(/^## /m);
    const parts: [heading: string, examples: Example[]][] = [
      ["the top of the page", examplesIn(top!)],
      ...sections.map((text): [string, Example[]] => [lineOf(text), examplesIn(text)]),
    ];
    assert(parts.some(([, examples]) => examples.length > 0), `${page} has no command`);
    const named = parts.flatMap(([heading, examples]) => [heading, ...examples.map(({ command }) => lineOf(command))]);
    for (const name of Object.keys({ ...before, ...after })) {
      assert(named.includes(name), `${page} has neither a heading nor a command "${name}"`);
    }

    // Inside the checkout, because npm looks for package.json upwards.
    const folder = await Deno.makeTempDir({ dir: fileURLToPath(ROOT), prefix: ".local-docs-" });
    await Deno.symlink(fileURLToPath(new URL("docs", ROOT)), `${folder}/docs`);
    const terminal: Variables = {};
    await clean?.();
    try {
      Object.assign(terminal, await (setup ??= runSetup(folder)));
      const run = async () => {
        for (const [heading, examples] of parts) {
          if (examples.length > 0) await test.step(heading, () => follow(heading, examples, folder, terminal));
        }
      };
      await (around?.(run) ?? run());
    } finally {
      await clean?.();
      await Deno.remove(folder, { recursive: true });
    }
  });

  async function follow(heading: string, examples: Example[], folder: string, terminal: Variables): Promise<void> {
    await before[heading]?.(terminal);
    let printed = "";
    for (const { command, output } of examples) {
      const name = lineOf(command);
      await before[name]?.(terminal);
      const text = await paste(rewrite?.(command) ?? command, folder, terminal);
      if (output !== undefined) assertLike(JSON.parse(text), output);
      await after[name]?.(text);
      printed += text;
    }
    await after[heading]?.(printed);
  }
}

/** The variables that the README's first command sets, which are the same for each page. */
let setup: Promise<Variables> | undefined;

async function runSetup(folder: string): Promise<Variables> {
  const [{ command }] = examplesIn(readPage("README.md")) as [Example];
  assert.match(command, /^eval /);
  const terminal: Variables = {};
  await paste(command, folder, terminal);
  return terminal;
}

function examplesIn(text: string): Example[] {
  return [...text.matchAll(RUN)].map(([, command, output]) => ({
    command: command!,
    ...(output !== undefined && { output: JSON.parse(output) }),
  }));
}

function lineOf(text: string): string {
  return text.split("\n", 1)[0]!;
}

/** Asserts that two values are equal, where one id counts as equal to any other. */
function assertLike(actual: unknown, expected: unknown): void {
  const ids = (value: unknown) =>
    JSON.parse(JSON.stringify(value), (_, item) => typeof item === "string" && UUID.test(item) ? "<id>" : item);
  assert.deepEqual(ids(actual), ids(expected));
}

/**
 * A line of the administrator's command that needs no shell: at most, `node -p` reads what it prints, a file or a variable
 * takes it, and words in quotes have variables.
 */
const ADMIN =
  /^(?:export (?<variable>\w+)=\$\()?npm run (?:--silent )?admin -- (?<words>(?:"(?:[^\n"|<>&;$`\\#]|\$\w+)*"|[^\n"'|<>&;$`\\#)])+?)(?: (?:\\\n *)?\| node -p '(?<script>[^'\n]*)'| > (?<file>\S+))?\)?(?: +#.*)?$/gm;

/**
 * `npm run`, for a shell: the line of package.json, with npm's banner, and without the time that npm itself takes. The
 * tests of the admin command prove that npm itself runs these lines.
 */
const NPM = `npm() {
  [ "$1" = run ] || { command npm "$@"; return; }
  shift
  if [ "$1" = --silent ]; then shift; else printf '\\n> %s\\n\\n' "$1"; fi
  case $1 in
    ${
  Object.entries<string>(JSON.parse(readPage("package.json")).scripts)
    .map(([name, line]) => `${name}) set -- '${line}' "$@" ;;`).join("\n    ")
}
    *) command npm run "$@"; return ;;
  esac
  line=$1
  shift 2
  [ "\${1-}" != -- ] || shift
  (export INIT_CWD="$PWD"; cd '${fileURLToPath(ROOT)}'; eval "$line \\"\\$@\\"")
}
`;

/** Runs a command as it is pasted into a terminal, and returns what it prints. The terminal keeps what it exports. */
async function paste(command: string, folder: string, terminal: Variables): Promise<string> {
  let printed = "";
  let end = 0;
  // Together what stands between the lines that need no shell.
  const runUntil = async (at: number) => {
    const lines = command.slice(end, at);
    if (!/^(?:\s*(?:#.*)?\n?)*$/.test(lines)) printed += await runInShell(lines, folder, terminal);
  };
  for (const match of command.matchAll(ADMIN)) {
    await runUntil(match.index);
    end = match.index + match[0].length;
    printed += await administer(match, folder, terminal);
  }
  await runUntil(command.length);
  return printed;
}

/** Runs a line of the administrator's command in this process, which takes a tenth of the time. */
async function administer(
  { 0: line, groups = {} }: RegExpExecArray,
  folder: string,
  terminal: Variables,
): Promise<string> {
  const { variable, words, script, file } = groups;
  const variables = { ...terminal, INIT_CWD: folder };
  const before = Deno.env.toObject();
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    const { code, out, err } = await admin(words!.replace(/\$(\w+)/g, (_, name) => terminal[name] ?? ""));
    assert.equal(code, 0, `${line}\n${out}${err}`);
    const printed = script === undefined ? out : String(runInNewContext(script, { fs: { readFileSync: () => out } }));
    if (file !== undefined) await Deno.writeTextFile(`${folder}/${file}`, printed);
    if (variable !== undefined) terminal[variable] = printed.trim();
    return file === undefined && variable === undefined ? printed : "";
  } finally {
    for (const name of Object.keys(variables)) {
      if (before[name] === undefined) Deno.env.delete(name);
      else Deno.env.set(name, before[name]);
    }
  }
}

async function runInShell(command: string, folder: string, terminal: Variables): Promise<string> {
  const variables = `${folder}/.variables`;
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-e", "-c", `${NPM}${command}\nenv -0 > '${variables}'`],
    cwd: folder,
    env: { ...terminal, DATA_DIR: dirname(stackInfoFile()), STACK_FILE: stackInfoFile(), SUPABASE_DB_URL: "" },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${out}${err}`);
  for (const variable of Deno.readTextFileSync(variables).split("\0").filter(Boolean)) {
    const [name, value] = variable.split(/=(.*)/s) as [string, string];
    terminal[name] = value;
  }
  return out!;
}
