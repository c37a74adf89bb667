/** `npm run admin -- operator`: who may use the page of operators, and what they did there. */
import assert from "node:assert/strict";
import { admin, adminJson, assertAllRefused, assertRefused } from "../support/admin.ts";
import { signInNewUser, type User } from "../support/agents.ts";
import { createVendor, sql } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { readPayload } from "../support/operator.ts";

async function statusOf({ client }: User): Promise<number> {
  return (await client.rpc("check_service")).status;
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

Deno.test("operator add takes nobody without a login, and none that nobody has confirmed", async () => {
  const { email, id } = await signInNewUser();
  await sql`update auth.users set email_confirmed_at = null where id = ${id}`;
  await assertAllRefused(
    [1, /^There is no login of nobody@example\.com\. Invite the agent first/, "operator add nobody@example.com"],
    [1, /^Nobody has opened the link that was sent to .+ yet\. Add the user afterwards\.$/, `operator add ${email}`],
    [2, /"nora" is not an e-mail address/, "operator add nora"],
  );
  assert.equal((await sql`select from public.operators where user_id = ${id}`).length, 0);
});

Deno.test("operator actions says who did what, also when the user was deleted", async () => {
  const user = await signInNewUser();
  await adminJson(`operator add ${user.email}`);
  const vendor = await createVendor();
  const [delivery_id] = await reject({ vendor_id: vendor.id, payload: { first_name: "Ada" } });
  await readPayload(user, delivery_id);
  await user.client.rpc("distribute_leads", { max: 1, vendor_id: vendor.id });

  const actions = await adminJson("operator actions --limit 2");
  assert.deepEqual(
    actions.map(({ email, user_id, action, subject }: Record<string, unknown>) => [email, user_id, action, subject]),
    [
      [user.email, user.id, "distribute", { max: 1, vendor_id: vendor.id }],
      [user.email, user.id, "read_payload", { delivery_ids: [delivery_id] }],
    ],
  );
  await sql`delete from auth.users where id = ${user.id}`;
  const { out } = await admin("operator actions --limit 1");
  assert.match(out, new RegExp(`${user.id} +distribute +at most 1$`, "m"));
  assert.match(out, /\d+ more: see --limit$/m);
});
