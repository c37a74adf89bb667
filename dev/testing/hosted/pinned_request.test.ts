/** Requests to addresses that were checked, on the hosted projects' Deno. The unit tests are the same. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { HOSTED_DENO } from "../../local/mod.ts";
import { run } from "./run.ts";

Deno.test({
  name: "the platform's Deno connects to the address that was checked, and verifies the name's certificate",
  ignore: !existsSync(HOSTED_DENO),
  async fn() {
    const { code, output } = await run(HOSTED_DENO, [
      ...["test", "--quiet", "--allow-all", "--no-check", "--no-config", "--no-lock"],
      "supabase/functions/_shared/pinned_request.test.ts",
    ]);
    assert.equal(code, 0, output);
  },
});
