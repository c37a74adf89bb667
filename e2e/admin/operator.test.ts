/** `npm run admin -- operator`: who may use the page of operators. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { signInNewUser, type User } from "../support/agents.ts";

async function statusOf({ client }: User): Promise<number> {
  return (await client.rpc("count_vendor_days")).status;
}

Deno.test("operator add lets a user in at once, and operator remove ends that at once", async () => {
  const user = await signInNewUser();
  const { email, id: user_id } = user;
  assert.equal(await statusOf(user), 403);

  assert.deepEqual(await adminJson(`operator add ${email.toUpperCase()}`), { user_id, email, added: true });
  assert.equal(await statusOf(user), 200);
  assert.deepEqual(await adminJson(`operator add ${email}`), { user_id, email, added: false });
  const listed = (await adminJson("operator list")).find((row: User) => row.email === email);
  assert.equal(listed.user_id, user_id);
  assert.ok(listed.since && listed.signed_in);
  assert.match((await admin("operator list")).out, new RegExp(`^${email} `, "m"));

  assert.deepEqual(await adminJson(`operator remove ${email}`), { user_id, email, removed: true });
  assert.equal(await statusOf(user), 403);
  assertRefused(await admin(`operator remove ${email}`), 1, /is no operator\. See npm run admin -- operator list$/);
});
