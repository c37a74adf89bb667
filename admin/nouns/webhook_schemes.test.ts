import assert from "node:assert/strict";
import { SCHEMES as CHECKED } from "../../supabase/functions/recruiting/webhooks/proof.ts";
import { SCHEMES } from "./webhook_schemes.ts";

Deno.test("admin/nouns/webhook_schemes.ts has the schemes of supabase/functions/recruiting/webhooks/proof.ts", () => {
  assert.deepEqual(Object.keys(SCHEMES).sort(), [...CHECKED.keys()].sort());
});
