/** Commands print no character that a terminal would obey, or nobody could see. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { createVendor, send, withKey } from "../support/client.ts";

Deno.test("invisible characters of a lead are not printed, and --json has them as escapes", async () => {
  const vendor = await createVendor();
  const name = "I\u202ed\u200ba\u009b\u{e0041}";
  const vendor_lead_id = crypto.randomUUID();
  const body = { vendor_lead_id, first_name: name, city: "Tulsa\u2066\u00ad" };
  const response = await send("/recruiting/ingest/bulk", { headers: withKey(vendor), body: { leads: [body] } });
  assert.equal(response.body.created, 1);
  const [{ id }] = await adminJson(`lead find ${vendor_lead_id}`);
  // \p{C}: control characters, marks of direction, and the like.
  for (const line of [`lead show ${id}`, `lead find ${vendor_lead_id}`]) {
    const { out } = await admin(line);
    assert.match(out, / Ida( |$)/m);
    assert.doesNotMatch(out.replaceAll("\n", ""), /\p{C}/u);
    const json = await admin(`${line} --json`);
    assert(json.out.includes("I\\u202ed\\u200ba\\u009b\\udb40\\udc41"), json.out);
    assert.doesNotMatch(json.out.replaceAll("\n", ""), /\p{C}/u);
  }
  assert.equal((await adminJson(`lead show ${id}`)).lead.name, name);
  assertRefused(await admin(`lead show no\u202e${name}`), 1, /^There is no lead "noIda"/);
});
