import assert from "node:assert/strict";
import { runToEnd } from "../local/mod.ts";
import { STEPS } from "./steps.ts";

/** The steps that run a file of tests. */
function stepsOf(path: string): string[] {
  return STEPS.filter(({ files = [] }) =>
    files.some((one) => {
      const pattern = one.split("*").map((text) => text.replaceAll(".", "\\.")).join("[^/]*");
      return new RegExp(`^${pattern}(/.*\\.test\\.tsx?)?$`).test(path);
    })
  ).map(({ name }) => name);
}

Deno.test("every file of tests belongs to one step", async () => {
  const patterns = ["*.test.ts", "*.test.tsx", "*.test.sql"];
  const { out } = await runToEnd("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns]);
  const paths = out.split("\n").filter(Boolean);
  assert(paths.length > 200);
  const wrong = paths.map((path) => ({ path, steps: stepsOf(path) })).filter(({ steps }) => steps.length !== 1);
  assert.deepEqual(wrong, [], "dev/testing/steps.ts says which step runs which folders");
});
