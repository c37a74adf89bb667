/** `npm run admin`: which recruits are greeted by text, and with what. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { createVendor, send, sql, withKey } from "../support/client.ts";
import { greetWaiting, newPhone } from "../support/sms.ts";

const TEMPLATE = "Hi {first_name}, {agent} of {agency} here. Reply STOP to opt out.";

Deno.test("an order greets the recruits of a vendor with text consent", async () => {
  const vendor = await createVendor();
  const name = `Agency ${crypto.randomUUID()}`;
  const agency = await adminJson(`agency create --name "${name}" --timezone UTC`);
  await adminJson(`agent create --agency ${agency.id} --first-name Maria`);
  const order = await adminJson(`order create --agency ${agency.id} --vendor ${vendor.slug}
    --quantity 5 --priority 1000 --greeting-template "${TEMPLATE}"`);
  assert.equal(order.greeting_template, TEMPLATE);

  const templates = () => adminJson(`text templates --agency ${agency.id}`);
  const table = async () => (await admin(`text templates --agency ${agency.id}`)).out;
  assert.deepEqual(await templates(), [{
    order_id: order.id,
    agency_id: agency.id,
    agency: name,
    status: "open",
    vendors: [],
    numbers: 0,
    greets: "nobody: no active number",
    segments: 1,
    template: TEMPLATE,
    // Without an agent of its own, the order's agents take turns: the next one is named.
    preview: `Hi Ada, Maria of ${name} here. Reply STOP to opt out.`,
    created_at: order.created_at,
  }]);
  assert.match(await table(), / nobody: no active number +1 +Hi Ada, /);

  const number = newPhone();
  await adminJson(`number add ${number} --agency ${agency.id}`);
  assert.match(await table(), / nobody: no vendor has text consent +1 +Hi Ada, /);
  const changed = await adminJson(`vendor update ${vendor.slug} --text-consent true`);
  assert.equal(changed.has_text_consent, true);
  assert.match(await table(), new RegExp(` recruits of ${vendor.slug} +1 +Hi Ada, `));

  const recruit = newPhone();
  const body = { first_name: "Rosa", phone: recruit };
  const { status } = await send("/recruiting/ingest", { headers: withKey(vendor), body });
  assert.equal(status, 201);
  await greetWaiting();
  const [text] = await sql`
    select m.body from public.text_outbox o
    join public.recruiting_messages m on m.id = o.message_id
    join public.recruiting_conversations c on c.id = m.conversation_id
    where c.recruit_phone = ${recruit} and o.kind = 'greeting'`;
  assert.equal(text!.body, `Hi Rosa, Maria of ${name} here. Reply STOP to opt out.`);

  await adminJson(`order update ${order.id} --greeting-template none`);
  assert.deepEqual(await templates(), []);
  assert.match(await table(), /^No order greets its recruits: .* --greeting-template <text>$/m);
});

Deno.test("a greeting that names neither the agency nor the way to opt out is refused", async () => {
  const agency = await adminJson(`agency create --name "Agency ${crypto.randomUUID()}"
    --timezone UTC`);
  for (
    const template of [
      "Hi {first_name}, reply STOP to opt out.",
      "Hi from {agency}.",
      "{agency} {name}: STOP",
      `{agency} STOP ${"x".repeat(1_600)}`,
    ]
  ) {
    assertRefused(
      await admin(
        `order create --agency ${agency.id} --quantity 1 --greeting-template "${template}"`,
      ),
      1,
      /^--greeting-template: give a text of at most 1,600 characters with \{agency\} and the word STOP/,
    );
  }
  assert.deepEqual(await adminJson(`order list --agency ${agency.id}`), []);
});
