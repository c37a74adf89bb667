/** Runs the administrator's command line against the running stack. */
import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { type Ran, runCommandLine } from "../../admin/command_line.ts";
import { runToEnd, stackInfoFile } from "../../dev/local/mod.ts";
import { shellWords } from "../../admin/shell_words.ts";

// The running stack is meant, whatever database the developer works with.
Deno.env.delete("SUPABASE_DB_URL");

/** Runs `npm run admin -- <line>` as in a script, without the time that npm takes. */
export function admin(line: string): Promise<Ran> {
  return adminWithSecret("", line);
}

/** Runs `npm run admin -- <line>` as in a script that pipes a secret in. */
export function adminWithSecret(secret: string, line: string): Promise<Ran> {
  return runCommandLine(shellWords(line), {
    readSecret: () => Promise.resolve(secret),
    lines: () => Readable.from([]),
    say: () => {},
  });
}

/** The output of `npm run admin -- <line> --json`. */
export async function adminJson(line: string) {
  const { code, out, err } = await admin(`${line} --json`);
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

/** Asserts that a command fails with this code and reason, and prints nothing else. */
export function assertRefused({ code, out, err }: Ran, expected: 1 | 2, reason: RegExp): void {
  assert.equal(code, expected, out + err);
  assert.match(err.split("\n", 1)[0]!, reason);
  assert.equal(out, "");
}

/** Runs one of the npm scripts as a person does: `npm run <script> -- <line>`. */
export function npmRun(
  script: string,
  line: string,
  env: Record<string, string> = {},
  piped = "",
): Promise<Ran> {
  const args = ["run", "--silent", script, "--", ...shellWords(line)];
  return runToEnd("npm", args, { STACK_FILE: stackInfoFile(), ...env }, piped);
}

/** What `npm run admin` executes. npm itself takes as long again. */
export const ADMIN = ["sh", "dev/scripts/run.sh", "admin/main.ts"];

/** Runs a command on a terminal, where somebody types this. What it prints to stderr is in `out`. */
export function runOnTerminal(line: string, typed: string, columns = 200): Promise<Ran> {
  const command = `stty cols ${columns}; ${ADMIN.join(" ")} ${line}`;
  const args = ["--quiet", "--return", "--command", command, "/dev/null"];
  return runToEnd("script", args, { STACK_FILE: stackInfoFile() }, typed);
}
