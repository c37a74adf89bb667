import assert from "node:assert/strict";
import { SCHEMES as CHECKED } from "../../supabase/functions/recruiting/webhooks/proof.ts";
import { SCHEMES } from "./webhook_schemes.ts";

Deno.test("the command line knows the schemes that are checked", () => {
  assert.deepEqual(Object.keys(SCHEMES).sort(), [...CHECKED.keys()].sort());
});
