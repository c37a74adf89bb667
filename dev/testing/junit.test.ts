import assert from "node:assert/strict";
import { join } from "node:path";
import { denoTest } from "./junit.ts";

async function run(code: string) {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(join(folder, "a.test.ts"), code);
    return await denoTest([folder]);
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
  assert.deepEqual(counts, { passed: 2, failed: 2, skipped: 1 });
});

Deno.test("a test file that cannot be loaded is a failure", async () => {
  assert.equal((await run("import './missing.ts';")).failed, 1);
});
