import { createOrder, createVendor, sql, type Vendor } from "../../e2e/support/client.ts";
import { createTarget, type Target } from "../../e2e/support/leads.ts";
import { type Conversation, createConversation } from "../../e2e/support/sms.ts";
import { createWebhook, type Webhook } from "../../e2e/support/webhooks.ts";

/** The proofs of webhooks: with an id of the delivery, with a signature, and with a secret alone. */
const SCHEMES = ["standard", "hmac", "header"];

/** The rows that the traffic is sent to. Nothing else uses it, so everything stored in it is the traffic's. */
export interface World {
  vendor: Vendor;
  webhooks: Webhook[];
  /** The ids of `vendor` and of the webhooks' vendors. */
  vendorIds: string[];
  orderIds: string[];
  /** For whom sales leads are imported. */
  target: Target;
  /** Sales leads of the target's agent, for activities. */
  salesLeadIds: string[];
  conversations: Conversation[];
  /** The MessageSids of outbound messages that have no status yet. */
  outboundSids: string[];
}

const CONVERSATIONS = 20;
const SALES_LEADS = 50;

/**
 * Makes vendors with orders, and everything else that the traffic needs.
 *
 * @param requests how many requests it is made for
 */
export async function createWorld(requests: number): Promise<World> {
  // Otherwise an order that takes any vendor's leads would get those whose orders are locked.
  await sql`update public.recruiting_orders set status = 'paused' where status = 'open'`;
  const vendor = await createVendor();
  const webhooks = await Promise.all(SCHEMES.map((scheme) => createWebhook(scheme)));
  const target = await createTarget();
  const conversations = await Promise.all(Array.from({ length: CONVERSATIONS }, () => createConversation()));
  const salesLeads = await sql`
    insert into public.leads (external_id, agency_id, agent_id, first_name, phone, state, type)
    select gen_random_uuid(), ${target.agency_id}, ${target.agent_id}, 'Ida', '555-0100', 'IL', 'fe'
    from generate_series(1, ${SALES_LEADS}) returning id`;
  const outbound = await sql`
    insert into public.recruiting_messages (conversation_id, direction, sender_type, provider_message_id, body)
    select ${conversations[0]!.id}, 'outbound', 'bot', 'SM' || md5(gen_random_uuid()::text), 'Hello'
    from generate_series(1, ${Math.ceil(requests / 10)}) returning provider_message_id`;
  return {
    vendor,
    webhooks,
    vendorIds: [vendor, ...webhooks].map(({ id }) => id),
    orderIds: [
      ...await createOrders(vendor, Math.ceil(requests / 25)),
      ...(await Promise.all(webhooks.map((webhook) => createOrders(webhook, Math.ceil(requests / 400))))).flat(),
    ],
    target,
    salesLeadIds: salesLeads.map(({ id }) => id),
    conversations,
    outboundSids: outbound.map(({ provider_message_id }) => provider_message_id),
  };
}

/** Three orders of a vendor: one that is filled first, then one up to its daily cap, and one that takes the rest. */
async function createOrders(vendor: Vendor, small: number): Promise<string[]> {
  const filled = await createOrder(vendor, { quantity: small, agents: 3 });
  const capped = await createOrder(vendor, { quantity: 1_000_000, agents: 3 });
  const rest = await createOrder(vendor, { quantity: 1_000_000, agents: 5 });
  await sql`update public.recruiting_orders set priority = 1002 where id = ${filled.id}`;
  await sql`
    update public.recruiting_orders set priority = 1001, daily_cap = ${small} where id = ${capped.id}`;
  return [filled.id, capped.id, rest.id];
}
