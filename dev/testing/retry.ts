import type { Counts } from "./junit.ts";

/** When more tests than this fail, the cause is no chance. */
export const MOST_RETRIED = 5;

/**
 * Runs tests that failed once more. The second result counts: a test that passes then is flaky. Nothing is run again
 * where something other than a test failed, or too many did.
 *
 * @param run runs the tests whose name a filter of `deno test` matches, one after another
 */
export async function retryFailed(first: Counts, run: (filter: string) => Promise<Counts>): Promise<Counts> {
  const { failures = [] } = first;
  const names = failures.flatMap(({ test }) => test ?? []);
  if (names.length === 0 || names.length !== first.failed || names.length > MOST_RETRIED) return first;
  const { passed, failed, failures: again = [] } = await run(`/^(${names.map(RegExp.escape).join("|")})$/`);
  // Otherwise it has ended before it has run them all, say.
  const isWhole = passed + failed === names.length && again.every(({ test }) => test !== undefined);
  if (!isWhole) return first;
  const flaky = failures.filter(({ test }) => again.every((other) => other.test !== test));
  return { ...first, passed: first.passed + passed, failed, failures: again, flaky };
}
