/** Of every id, a command takes the first 8 characters, and says so where fewer are given. */
import assert from "node:assert/strict";
import { admin, adminJson, assertRefused } from "../support/admin.ts";
import { createOrder, createVendor, send, sql, withKey } from "../support/client.ts";
import { reject } from "../support/deliveries.ts";
import { createConversation } from "../support/sms.ts";

const vendor = await createVendor();
const order = await createOrder(vendor);
const agent = order.agent_ids[0]!;
await adminJson(`vendor webhook set ${vendor.slug} --scheme standard`);
await adminJson(`vendor webhook secret create ${vendor.slug} --generate`);
const [{ id: secret }] = await adminJson(`vendor webhook secret list ${vendor.slug}`);
const body = { first_name: "Ida", vendor_lead_id: crypto.randomUUID() };
const { body: { id: lead } } = await send("/recruiting/ingest", { headers: withKey(vendor), body });
const [delivery] = await reject({ vendor_id: vendor.id, payload: { first_name: "Ida" } });
const { id: talk } = await createConversation(order.agency_id);
const [message] = await sql`
  insert into public.recruiting_messages (conversation_id, direction, sender_type, body, status)
  values (${talk}, 'outbound', 'bot', 'Hello', 'failed') returning id`;
await sql`
  insert into public.text_outbox (message_id, kind, due_at, state) values (${
  message!.id
}, 'bot', 'infinity', 'failed')`;
const [destination] = await sql`
  select (public.save_destination(${order.agency_id}, 'ids', '{"url": "https://crm.example.com/"}') ->> 'id')::uuid as id`;
await sql`select public.set_destination_state(${destination!.id}, false)`;
const [test] = await sql`select public.test_destination(${destination!.id}) as id`;
// One that has ended, so that no check of the alerts ends this one.
const [ended] = await sql`
  insert into public.recruiting_orders (agency_id, vendor_id, quantity, starts_at, ends_at)
  values (${order.agency_id}, ${vendor.id}, 1, now() - interval '2 hours', now() - interval '1 hour') returning id`;
await sql`select private.check_alerts()`;
const [alert] = await sql`select id from public.alerts where kind = 'order_stalled' and subject = ${ended!.id}`;

for (
  const [noun, id, line] of [
    ["agency", order.agency_id, (id: string) => `agent list --agency ${id}`],
    ["agent", agent, (id: string) => `agent update ${id} --last-name Reed`],
    ["vendor", vendor.id, (id: string) => `vendor update ${id} --text-consent true`],
    ["order", order.id, (id: string) => `order update ${id} --priority 10`],
    ["lead", lead, (id: string) => `lead show ${id}`],
    ["delivery", delivery!, (id: string) => `delivery show ${id}`],
    ["destination", destination!.id, (id: string) => `destination show ${id}`],
    ["dispatch", test!.id, (id: string) => `dispatch show ${id}`],
    ["text", message!.id, (id: string) => `text retry ${id}`],
    ["alert", alert!.id, (id: string) => `alert acknowledge ${id}`],
    ["secret", secret, (id: string) => `vendor webhook secret revoke ${vendor.slug} ${id}`],
  ] as const
) {
  Deno.test(`the first 8 characters of an id stand for the ${noun}, and 7 do not`, async () => {
    assertRefused(
      await admin(line(id.slice(0, 7))),
      1,
      new RegExp(`^There is no ${noun} "${id.slice(0, 7)}"\\. Of an id, give the first 8 characters at least\\. `),
    );
    const { code, err } = await admin(line(id.slice(0, 8).toUpperCase()));
    assert.equal(code, 0, err);
  });
}
