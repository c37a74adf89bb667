import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { ROOT } from "../local/mod.ts";
import { type Print, runProgram } from "./program.ts";

/** The rest of a long difference stands further up. */
const MOST_LINES = 40;

/** The results of a check. A skipped test is not counted as passed. */
export interface Counts {
  passed: number;
  failed: number;
  skipped?: number;
  failures?: Failure[];
  /** Tests that failed, and passed when they were run once more. */
  flaky?: Failure[];
}

/** A test that failed, or a file of them. */
export interface Failure {
  /** Its name; missing of what is no test of Deno. */
  test?: string;
  /** The names of its file and of itself, and below them why it failed. */
  text: string;
}

/**
 * Runs `deno test` with these files as one program, shows its output and counts the results by its JUnit report. What
 * several files import is loaded once, and what a module starts, such as a browser, serves them all. For `print` see
 * {@link runProgram}.
 */
export async function denoTest(
  files: string[],
  env: Record<string, string> = {},
  print?: Print,
  flags = ["--quiet"],
): Promise<Counts> {
  const folder = Deno.makeTempDirSync({ prefix: "tests-" });
  const [report, program] = ["report.xml", "all.test.ts"].map((name) => join(folder, name)) as [string, string];
  try {
    const imports = files.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(ROOT, file)))};\n`);
    Deno.writeTextFileSync(program, imports.join(""));
    // Otherwise collecting what is young takes a tenth of the time.
    const v8 = "--v8-flags=--min-semi-space-size=16";
    const args = ["test", "--allow-all", "--no-check", v8, `--junit-path=${report}`, ...flags, program];
    const success = await runProgram(Deno.execPath(), args, env, print);
    // A module that cannot be loaded, say, is a failure that no report has.
    const counts = readJunit(existsSync(report) ? Deno.readTextFileSync(report) : "");
    if (success || counts.failed > 0) return counts;
    return {
      ...counts,
      failed: 1,
      failures: [{ text: "The tests ended with an error that belongs to none of them: see above." }],
    };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Reads the results in a JUnit report as Deno writes it. A step of a test counts as a test. */
function readJunit(report: string): Counts {
  const total = { passed: 0, failed: 0, skipped: 0, failures: failuresIn(report) };
  for (const [suite] of report.matchAll(/<testsuite .*>/g)) {
    const count = (name: string) => Number(new RegExp(` ${name}="(\\d+)"`).exec(suite)?.[1] ?? 0);
    const failed = count("failures") + count("errors");
    const skipped = count("disabled");
    total.passed += count("tests") - failed - skipped;
    total.failed += failed;
    total.skipped += skipped;
  }
  return total;
}

function failuresIn(report: string): Failure[] {
  const cases = report.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]*>\s*<failure [^>]*>([^<]*)</g);
  return Array.from(cases, (texts) => texts.slice(1).map(unescapeXml) as [string, string, string])
    // A step that failed is a failure of its own.
    .filter(([, , reason]) => !/^\d+ test steps? failed\.$/.test(reason))
    .map(([name, file, reason]) => {
      const lines = reason.split("\n").filter((line) => !line.includes("(ext:"));
      const text = [`${file.replace(/^\.\//, "")}: ${name}`, ...lines.slice(0, MOST_LINES).map((line) => `    ${line}`)]
        .map((line) => line.trimEnd()).join("\n");
      return { test: name, text };
    });
}

function unescapeXml(text: string): string {
  const characters: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name: string) => characters[name]!);
}
