/** `npm run admin -- vendor webhook`: the schemes by which webhooks are proved. */
import assert from "node:assert/strict";
import { SCHEMES } from "../../admin/nouns/webhook_schemes.ts";
import { adminJson } from "../support/admin.ts";
import { createVendor } from "../support/client.ts";

Deno.test("every scheme can be set with what it needs", async () => {
  const vendor = await createVendor();
  const options: Record<string, string> = {
    header: "--header X-Sig",
    algorithm: "--algorithm sha256",
    parameter: "--parameter token",
  };
  for (const [scheme, { needs = [] }] of Object.entries(SCHEMES)) {
    const given = needs.map((setting) => options[setting]!).join(" ");
    assert.equal((await adminJson(`vendor webhook set ${vendor.slug} --scheme ${scheme} ${given}`)).scheme, scheme);
  }
});
