import assert from "node:assert/strict";
import { join } from "node:path";
import { denoTest } from "./junit.ts";
import { retryFailed } from "./retry.ts";

/** Runs a file of tests with this code, in which `isFirst` says whether that is the first time. */
async function runTwice(code: string) {
  const folder = Deno.makeTempDirSync();
  const path = join(folder, "a.test.ts");
  const run = (isFirst: boolean, flags: string[] = []) => {
    Deno.writeTextFileSync(path, `const isFirst = ${isFirst};\n${code}`);
    return denoTest([path], {}, () => {}, ["--quiet", ...flags]);
  };
  let runs = 1;
  try {
    const counts = await retryFailed(await run(true), (filter) => {
      runs++;
      return run(false, [`--filter=${filter}`]);
    });
    return { ...counts, runs };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

Deno.test("what fails is run once more, without what has passed, and the second result counts", async () => {
  const { failures, flaky, ...counts } = await runTwice(`
    const fail = () => { throw new Error(isFirst ? "first" : "second"); };
    Deno.test("passes", () => { if (!isFirst) fail(); });
    Deno.test("fails (once): 1/2, \\"and no more\\"", () => { if (isFirst) fail(); });
    Deno.test("fails", fail);
    Deno.test("fails and passes", () => { if (isFirst) fail(); });
  `);
  assert.deepEqual(counts, { passed: 3, failed: 1, skipped: 0, runs: 2 });
  assert.deepEqual(flaky!.map(({ test }) => test), ['fails (once): 1/2, "and no more"', "fails and passes"]);
  assert.match(flaky![0]!.text, /a\.test\.ts: fails \(once\)[^]*Error: first/);
  assert.deepEqual(failures!.map(({ test }) => test), ["fails"]);
  assert.match(failures![0]!.text, /Error: second/);
});

Deno.test("nothing is run once more where all pass, many fail, or a file cannot be loaded", async () => {
  const many = Array.from({ length: 6 }, (_, n) => ({ test: `fails ${n}`, text: `a.test.ts: fails ${n}` }));
  const broken = { passed: 0, failed: 1, failures: [{ text: "The tests ended with an error." }] };
  for (const counts of [{ passed: 1, failed: 0 }, { passed: 0, failed: 6, failures: many }, broken]) {
    assert.equal(await retryFailed(counts, () => assert.fail("it is run once more")), counts);
  }
});

Deno.test("a second run that ends too early makes nothing flaky", async () => {
  const first = { passed: 1, failed: 1, failures: [{ test: "fails", text: "a.test.ts: fails" }] };
  assert.equal(await retryFailed(first, () => Promise.resolve({ passed: 0, failed: 0 })), first);
  const broken = { passed: 0, failed: 1, failures: [{ text: "The tests ended with an error." }] };
  assert.equal(await retryFailed(first, () => Promise.resolve(broken)), first);
});
