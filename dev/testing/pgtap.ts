import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type postgres from "postgres";
import { POSTGRES_HOME, ROOT } from "../local/mod.ts";

const ARCHIVE = join(ROOT, "node_modules/@electric-sql/pglite-pgtap/dist/pgtap.tar.gz");

/** The result of a file of pgTAP tests. */
export interface TapResult {
  passed: number;
  failed: number;
  /** The lines about failures that are shown. */
  diagnostics: string[];
}

/**
 * Puts pgTAP among the extensions of the embedded Postgres. Other stacks may do the same, or use it, at the same time.
 *
 * @throws {Error} when it is not there and cannot be put there
 */
export async function installPgtap(): Promise<void> {
  const extensions = join(POSTGRES_HOME, "share/postgresql/extension");
  if (existsSync(join(extensions, "pgtap.control"))) return;

  const unpacked = Deno.makeTempDirSync({ prefix: "pgtap-" });
  try {
    const { success, stderr } = await new Deno.Command("tar", { args: ["-xzf", ARCHIVE, "-C", unpacked] }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const source = join(unpacked, "share/postgresql/extension");
    const names = Array.from(Deno.readDirSync(source), ({ name }) => name);
    // The control file comes last, because Postgres takes the extension for installed when it is there.
    names.sort((a, b) => Number(a.endsWith(".control")) - Number(b.endsWith(".control")));
    for (const name of names) {
      const temporary = join(extensions, `${name}.${Deno.pid}`);
      Deno.copyFileSync(join(source, name), temporary);
      Deno.renameSync(temporary, join(extensions, name));
    }
  } catch (error) {
    throw new Error(`pgTAP cannot be put into ${extensions}: ${(error as Error).message}`);
  } finally {
    rmSync(unpacked, { recursive: true, force: true });
  }
}

/** Sends a file of tests whole, as psql would, with what it includes, and reads the TAP that its queries return. */
export async function runTapFile(sql: postgres.Sql, path: string): Promise<TapResult> {
  const text = Deno.readTextFileSync(path)
    .replaceAll(/^\\ir (.+)$/gm, (_, file) => Deno.readTextFileSync(join(dirname(path), file)));
  try {
    const returned: unknown = await sql.unsafe(text).simple();
    // Several statements give a list of results, a single one gives its own.
    const results = (Array.isArray((returned as unknown[])[0]) ? returned : [returned]) as Record<
      string,
      unknown
    >[][];
    return readTap(results.flat().flatMap((row) => Object.values(row)).filter(isText).join("\n"));
  } catch (error) {
    const { message, position, detail, where } = error as postgres.PostgresError;
    // The line is shown and not its number, which would count the lines of the included file too.
    const line = position && lineAt(text, Number(position) - 1);
    const diagnostics = [message, line && `in the line: ${line}`, detail, where].filter(isText);
    return { passed: 0, failed: 1, diagnostics };
  }
}

/**
 * Counts the results in a TAP text. A missing plan is a failure, and so is one that differs from the tests that ran.
 */
export function readTap(tap: string): TapResult {
  const result: TapResult = { passed: 0, failed: 0, diagnostics: [] };
  let planned: number | undefined;
  let isFailing = false;
  for (const line of tap.split("\n")) {
    const plan = /^1\.\.(\d+)/.exec(line);
    const test = /^(not )?ok\b/.exec(line);
    if (plan) planned = Number(plan[1]);
    if (test) {
      isFailing = Boolean(test[1]) && !/# TODO/i.test(line);
      result[isFailing ? "failed" : "passed"] += 1;
    }
    if (isFailing && line.trim()) result.diagnostics.push(line);
  }
  const ran = result.passed + result.failed;
  if (planned !== ran) {
    result.failed += 1;
    result.diagnostics.push(`${ran} tests ran, and plan() says ${planned ?? "nothing"}`);
  }
  return result;
}

function lineAt(text: string, at: number): string {
  return text.slice(0, at).split("\n").at(-1)! + text.slice(at).split("\n", 1)[0];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
