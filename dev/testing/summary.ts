import type { Counts } from "./junit.ts";

/** The results of a step. */
export interface StepResult {
  /** With the remedy when it failed. */
  step: { name: string; remedy: string };
  counts: Counts;
  seconds: number;
}

/** A line for each step, and their sum. What failed comes last, where nobody has to look for it, after what is flaky. */
export function summaryOf(results: StepResult[]): string {
  const sum = (key: "passed" | "failed" | "skipped") =>
    results.reduce((total, { counts }) => total + (counts[key] ?? 0), 0);
  const lines = results.map(({ step: { name, remedy }, counts: { passed, failed, skipped = 0 }, seconds }) =>
    [
      name.padEnd(10),
      `${passed} passed`.padStart(12),
      `${failed} failed`.padStart(10),
      (skipped > 0 ? `${skipped} skipped` : "").padStart(11),
      `${seconds.toFixed(1)} s`.padStart(9),
      failed > 0 ? `  ${remedy}` : "",
    ].join(" ").trimEnd()
  );
  const skipped = sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : "";
  const textsOf = (key: "failures" | "flaky") =>
    results.flatMap(({ counts }) => counts[key] ?? []).map(({ text }) => text);
  const [flaky, failures] = [textsOf("flaky"), textsOf("failures")];
  return [
    lines.join("\n"),
    `${sum("passed")} passed, ${sum("failed")} failed${skipped}${flaky.length > 0 ? `, ${flaky.length} flaky` : ""}`,
    ...flaky.length > 0 ? ["Flaky: failed at first, and passed when run once more:", ...flaky] : [],
    ...failures.length > 0 ? ["What failed:", ...failures] : [],
  ].join("\n\n");
}
