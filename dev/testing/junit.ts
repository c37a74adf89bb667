import { type Print, runProgram } from "./program.ts";

/** The results of a check. A skipped test is not counted as passed. */
export interface Counts {
  passed: number;
  failed: number;
  skipped?: number;
}

/**
 * Runs `deno test` with these files, shows its output and counts the results by its JUnit report. For `print` see
 * {@link runProgram}.
 */
export async function denoTest(
  files: string[],
  env: Record<string, string> = {},
  print?: Print,
  flags = ["--quiet"],
): Promise<Counts> {
  const report = Deno.makeTempFileSync({ suffix: ".xml" });
  try {
    const args = [
      "test",
      "--allow-all",
      "--no-check",
      `--junit-path=${report}`,
      ...flags,
      ...files,
    ];
    const success = await runProgram(Deno.execPath(), args, env, print);
    const counts = readJunit(Deno.readTextFileSync(report));
    // A module that cannot be loaded, say, is a failure that the report does not have.
    return success || counts.failed > 0 ? counts : { ...counts, failed: 1 };
  } finally {
    Deno.removeSync(report);
  }
}

/** Counts the results in a JUnit report as Deno writes it. A step of a test counts as a test. */
export function readJunit(report: string): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 };
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
