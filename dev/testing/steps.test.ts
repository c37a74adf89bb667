import assert from "node:assert/strict";
import { runToEnd } from "../local/mod.ts";
import { STEPS } from "./steps.ts";

Deno.test("every file of tests belongs to one step", async () => {
  const patterns = ["*.test.ts", "*.test.tsx", "*.test.sql"];
  const { out } = await runToEnd("git", ["ls-files", "--cached", "--others", "--exclude-standard", ...patterns]);
  const paths = out.split("\n").filter(Boolean);
  assert(paths.length > 200);
  const stepsOf = (path: string) => STEPS.filter(({ files }) => files?.includes(path)).map(({ name }) => name);
  const wrong = paths.map((path) => ({ path, steps: stepsOf(path) })).filter(({ steps }) => steps.length !== 1);
  assert.deepEqual(wrong, [], "dev/testing/steps.ts says which step runs which folders");
});
