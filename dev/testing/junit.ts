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
 * Runs `deno test` with these files, shows its output and counts the results by its JUnit report. For `print` see
 * {@link runProgram}; `jobs` is the number of files that run at the same time.
 */
export async function denoTest(
  files: string[],
  env: Record<string, string> = {},
  print?: Print,
  flags = ["--quiet"],
  jobs = 1,
): Promise<Counts> {
  const report = Deno.makeTempFileSync({ suffix: ".xml" });
  try {
    const args = [
      "test",
      "--allow-all",
      "--no-check",
      `--junit-path=${report}`,
      ...flags,
      ...(jobs > 1 ? ["--parallel"] : []),
      ...files,
    ];
    const success = await runProgram(Deno.execPath(), args, { ...env, DENO_JOBS: String(jobs) }, print);
    const counts = readJunit(Deno.readTextFileSync(report));
    // A module that cannot be loaded, say, is a failure that the report does not have.
    if (success || counts.failed > 0) return counts;
    return {
      ...counts,
      failed: 1,
      failures: [{ text: "The tests ended with an error that belongs to none of them: see above." }],
    };
  } finally {
    Deno.removeSync(report);
  }
}

/** Reads the results in a JUnit report as Deno writes it. A step of a test counts as a test. */
export function readJunit(report: string): Counts {
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
