/** Runs the administrator's command line as a person does, against the running stack. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { stackInfoFile } from "../local/mod.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What a command printed, and how it ended. */
export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs `npm run admin -- <words>`, or another of the npm scripts. */
export async function admin(
  words: string[],
  env: Record<string, string> = {},
  script = "admin",
): Promise<Ran> {
  return await run("npm", ["run", "--silent", script, "--", ...words], env);
}

/** Runs `npm run admin -- <words>` on a terminal, where somebody types this. Errors come with the output. */
export async function adminOnTerminal(words: string[], typed: string): Promise<Ran> {
  const command = `npm run --silent admin -- ${words.map((word) => `'${word}'`).join(" ")}`;
  return await run("script", ["--quiet", "--return", "--command", command, "/dev/null"], {}, typed);
}

/** What `npm run admin -- <words>` prints for scripts. */
export async function adminJson(...words: string[]) {
  const { code, out, err } = await admin([...words, "--json"]);
  assert.equal(code, 0, err);
  assert.equal(err, "");
  return JSON.parse(out);
}

/** Asserts that a command fails with this code and reason, and prints nothing else. */
export function assertRefused({ code, out, err }: Ran, expected: 1 | 2, reason: RegExp): void {
  assert.equal(code, expected, out + err);
  assert.match(err.split("\n", 1)[0]!, reason);
  assert.equal(out, "");
}

async function run(
  command: string,
  args: string[],
  env: Record<string, string>,
  typed = "",
): Promise<Ran> {
  const child = new Deno.Command(command, {
    args,
    cwd: ROOT,
    env: { STACK_FILE: stackInfoFile(), SUPABASE_DB_URL: "", ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const [{ code, stdout, stderr }] = await Promise.all([
    child.output(),
    new Blob([typed]).stream().pipeTo(child.stdin),
  ]);
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}
