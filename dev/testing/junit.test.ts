import assert from "node:assert/strict";
import { join } from "node:path";
import { denoTest } from "./junit.ts";

async function run(code: string) {
  const folder = Deno.makeTempDirSync();
  try {
    const file = join(folder, "a.test.ts");
    Deno.writeTextFileSync(file, code);
    return await denoTest([file]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("a test that was ignored is not counted as passed", async () => {
  const counts = await run(`
    Deno.test("passes", () => {});
    Deno.test.ignore("is ignored", () => {});
    Deno.test("has steps", async (test) => {
      await test.step("passes > \\"well\\"", () => {});
      await test.step("fails", () => { throw new Error("<testsuite tests=\\"9\\">"); });
    });
  `);
  const { failures, ...rest } = counts;
  assert.deepEqual(rest, { passed: 2, failed: 2, skipped: 1 });
  assert.equal(failures!.length, 1, "a test is no failure besides its steps");
  assert.match(failures![0]!.text, /a\.test\.ts: has steps > fails\n {4}Error: <testsuite tests="9">\n/);
});

Deno.test("a test file that cannot be loaded is a failure", async () => {
  const { failed, failures } = await run("import './missing.ts';");
  assert.deepEqual([failed, failures!.length], [1, 1]);
});
