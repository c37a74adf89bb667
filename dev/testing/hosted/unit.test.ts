/**
 * Unit tests that must pass on the Deno of hosted projects too. Its V8 is older than the pinned one's, and both read
 * some keys of JSON wrong; and it is what connects to addresses that were checked.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { HOSTED_DENO } from "../../local/mod.ts";
import { run } from "./run.ts";

Deno.test({
  name: "on the platform's Deno the unit tests of JSON and of requests to checked addresses pass",
  ignore: !existsSync(HOSTED_DENO),
  async fn() {
    const tests = ["json", "json_reader", "pinned_request"]
      .map((name) => `supabase/functions/_shared/${name}.test.ts`);
    const { code, output } = await run(HOSTED_DENO, ["test", "--allow-all", "--no-check", ...tests]);
    assert.equal(code, 0, output);
    assert.match(output, /keys are correct after any other body[^\n]* ok /);
    assert.match(output, /the certificate must be that of the URL's host[^\n]* ok /);
  },
});
