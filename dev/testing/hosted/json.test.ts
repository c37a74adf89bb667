/** The V8 of hosted projects is older than the pinned Deno's, and both read some keys of JSON wrong. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { HOSTED_DENO } from "../../local/mod.ts";
import { run } from "./run.ts";

Deno.test({
  name: "on the platform's Deno the unit tests of JSON pass",
  ignore: !existsSync(HOSTED_DENO),
  async fn() {
    const tests = ["json", "json_reader", "json_scan"]
      .map((name) => `supabase/functions/_shared/${name}.test.ts`);
    const { code, output } = await run(HOSTED_DENO, [
      "test",
      "--allow-all",
      "--no-check",
      ...tests,
    ]);
    assert.equal(code, 0, output);
    assert.match(output, /"zz\\""[^\n]* ok /);
  },
});
