/** Runs the commands of the docs as somebody who pastes them into a terminal. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { stackInfoFile } from "../../dev/local/mod.ts";

/**
 * A command in the docs, in a block that begins with "```sh run", and the JSON that is shown as its
 * output.
 */
export interface Example {
  command: string;
  output?: unknown;
}

export const ROOT = new URL("../../", import.meta.url);

const RUN = /^```sh run\n(.*?)```(?:\n\n```json\n(.*?)```)?/gms;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The text of a page, such as `README.md`. */
export function readPage(file: string): string {
  return Deno.readTextFileSync(new URL(file, ROOT));
}

/** The commands of a page, or of a part of it. */
export function examplesIn(text: string): Example[] {
  return [...text.matchAll(RUN)].map(([, command, output]) => ({
    command: command!,
    ...(output !== undefined && { output: JSON.parse(output) }),
  }));
}

/** Asserts that two values are equal, where one id counts as equal to any other. */
export function assertLike(actual: unknown, expected: unknown): void {
  const ids = (value: unknown) =>
    JSON.parse(
      JSON.stringify(value),
      (_, item) => typeof item === "string" && UUID.test(item) ? "<id>" : item,
    );
  assert.deepEqual(ids(actual), ids(expected));
}

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

/** Runs a command as it is pasted into a terminal, and returns what it prints. */
export async function paste(
  command: string,
  folder: string,
  variables: Record<string, string>,
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command("sh", {
    args: ["-e", "-c", NPM + command],
    cwd: folder,
    env: {
      ...variables,
      DATA_DIR: dirname(stackInfoFile()),
      STACK_FILE: stackInfoFile(),
      SUPABASE_DB_URL: "",
    },
  }).output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert.equal(code, 0, `${out}${err}`);
  return out!;
}

/** The variables that the README's first command sets for all that follow. */
export async function variables(folder: string): Promise<Record<string, string>> {
  const [setup] = examplesIn(readPage("README.md"));
  assert.match(setup!.command, /^eval /);
  return await variablesSetBy(setup!.command, folder, {});
}

/** The variables that a command adds to those of the terminal. */
export async function variablesSetBy(
  command: string,
  folder: string,
  given: Record<string, string>,
): Promise<Record<string, string>> {
  const before = (await paste("env", folder, given)).split("\n");
  // What the command prints itself may look like a variable too.
  const after = (await paste(`{\n${command}\n} >&2\nenv`, folder, given)).split("\n");
  const added = after.filter((line) => !before.includes(line) && /^\w+=/.test(line));
  return Object.fromEntries(
    added.map((line) => [line.split("=", 1)[0]!, line.replace(/^.*?=/, "")]),
  );
}
